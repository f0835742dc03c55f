"""Colours and type of the charts, for a light and a dark page: Vega-Lite configurations.

The colours are those of Okabe & Ito (2008), which readers with any common colour blindness can tell apart; kinds of
claim differ in shape as well.
"""

from typing import Any

# In the order of effects.KINDS: finding, bounded, paper_only, inconclusive, no_test.
LIGHT_KINDS = ["#0072B2", "#007A5A", "#C04E00", "#6B7280", "#6B7280"]
DARK_KINDS = ["#56B4E9", "#2CC295", "#FF9E4A", "#A3AAB5", "#A3AAB5"]
PAGE_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"


def theme(*, dark: bool = False, font: str = PAGE_FONT) -> dict[str, Any]:
    """The configuration of all charts; its parameters are the colours that the charts ask for by name."""
    ink, soft, grid = ("#E6E8EB", "#B4BAC4", "#333A45") if dark else ("#1B1F24", "#505862", "#E3E6EA")
    kinds = DARK_KINDS if dark else LIGHT_KINDS
    diverging = ["#FFB000", "#2A303A", "#5BB8F5"] if dark else ["#B35806", "#F4F4F4", "#2166AC"]
    colours = {"ink": ink, "soft": soft, "ink_strong": "#10141A" if dark else "#FFFFFF"}
    colours |= {"main": kinds[0], "accent": kinds[2]}
    return {
        "background": "transparent",
        "aria": False,  # a chart is one image with a description; its values are in a table
        "font": font,
        "view": {"stroke": None},
        "axis": {
            "labelColor": ink,
            "titleColor": soft,
            "gridColor": grid,
            "domainColor": soft,
            "tickColor": grid,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelSeparation": 8,
        },
        "axisY": {"grid": False, "labelLimit": 170},
        "legend": {"labelColor": ink, "titleColor": soft, "labelFontSize": 12, "titleFontWeight": "normal"},
        "text": {"fontSize": 11.5},
        "title": {"color": ink, "subtitleColor": soft, "fontSize": 13, "anchor": "start"},
        "range": {"category": kinds, "diverging": diverging},
        "params": [{"name": name, "value": value} for name, value in colours.items()],
    }

"""report.html: one self-contained page of a summary, with its data, its script and the plotting library inside."""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from bias_lab.errors import ConfigError
from bias_lab.files import write_text
from bias_lab.report.content import content

if TYPE_CHECKING:
    from bias_lab.summary.collect import Summary

REPORT = "report.html"
MOST_SCORES = 1_500_000  # of sentences, about 4 MB on the page
SCRIPTS = ("data.js", "filters.js", "tables.js", "charts.js", "names.js", "main.js")


def write_report(summary: "Summary", out: Path, *, title: str, most_scores: int = MOST_SCORES) -> Path:
    """Write the page, in one step.

    summary: what `bias_lab.summary.collect` gives; scores of single sentences are read from its runs' folders.
    out: the file to write (ending in .html), or the folder that gets report.html. most_scores: sentences' scores to
    put on the page at most; beyond, the page shows the means of the names only, and says so. Returns the file. Raises
    ConfigError where the plotting library is not installed.
    """
    target = out if out.suffix == ".html" else out / REPORT
    write_text(target, render(summary, title=title, most_scores=most_scores))
    return target


def render(summary: "Summary", *, title: str, most_scores: int = MOST_SCORES) -> str:
    """The page as HTML; see `write_report`."""
    import jinja2

    script, library = _script(), plotting_library()
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("bias_lab.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found = content(summary, most_scores=most_scores)
    return environment.get_template("report.html").render(
        title=title,
        style=_static("report.css"),
        library=library,
        script=script,
        policy=content_security_policy(library, script),
        **found,
    )


def content_security_policy(*scripts: str) -> str:
    """Lets the browser run these scripts and no other, and load nothing from anywhere."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@cache
def plotting_library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, which sets `vegaEmbed`."""
    try:
        import altair
        import vl_convert
    except ImportError as error:
        raise ConfigError(
            f"the report page needs {error.name}, which is not installed: pip install altair vl-convert-python"
        ) from None
    version = ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)
    # Not one of these today; inside a script element they would end it, or change how it is read.
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _script() -> str:
    """The page's own script, in a scope of its own: the plotting library leaves one-letter names behind."""
    parts = "\n".join(_static(name) for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}\n}})();'


def _static(name: str) -> str:
    return files("bias_lab.report").joinpath("static", name).read_text(encoding="utf-8")

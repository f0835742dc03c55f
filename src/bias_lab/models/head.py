"""The two-layer feed-forward head on frozen sentence vectors (Câmara et al. 2022, section 4)."""

from typing import TYPE_CHECKING

from bias_lab.errors import ConfigError
from bias_lab.strict import check_choice, check_whole

if TYPE_CHECKING:
    from torch import nn

ACTIVATIONS = ("relu", "gelu", "tanh")
OUTPUTS = ("sigmoid", "identity")


def check_head_options(*, hidden: int, activation: str, output: str, dropout: float) -> None:
    """Raise `ConfigError` for a value that `two_layer_head` does not take."""
    check_whole("model.hidden", hidden)
    check_choice("model.activation", activation, ACTIVATIONS)
    check_choice("model.output", output, OUTPUTS)
    if isinstance(dropout, bool) or not isinstance(dropout, int | float) or not 0 <= dropout < 1:
        raise ConfigError(f"model.dropout={dropout}: must be at least 0 and less than 1")


def two_layer_head(
    *,
    in_features: int,
    hidden: int = 128,
    activation: str = "relu",
    output: str = "sigmoid",
    dropout: float = 0.0,
) -> "nn.Sequential":
    """score = output(w2 . activation(W1 x + b1) + b2): vectors (n, in_features) -> scores (n,).

    `sigmoid` keeps scores inside (0, 1), where the Beta regression needs them; `identity` leaves them unbounded.
    """
    from torch import nn

    check_head_options(hidden=hidden, activation=activation, output=output, dropout=dropout)
    act = {"relu": nn.ReLU, "gelu": nn.GELU, "tanh": nn.Tanh}[activation]
    last = {"sigmoid": nn.Sigmoid, "identity": nn.Identity}[output]
    return nn.Sequential(
        nn.Linear(in_features, hidden),
        act(),
        nn.Dropout(dropout) if dropout else nn.Identity(),
        nn.Linear(hidden, 1),
        last(),
        nn.Flatten(0),
    )

"""From token states to one vector a text."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

POOLINGS = ("cls", "mean", "last")


def pool(states: "Tensor", mask: "Tensor | None", pooling: str) -> "Tensor":
    """Pool token states (n, tokens, d) to (n, d).

    `cls` takes the first token, `last` the last real one, `mean` averages the real ones. `mask` (n, tokens) is 1
    for real tokens, 0 for padding on the right; `None` means that nothing is padded.
    """
    import torch

    if pooling == "cls":
        return states[:, 0]
    if mask is None:
        return states[:, -1] if pooling == "last" else states.mean(dim=1)
    if pooling == "last":
        rows = torch.arange(len(states), device=states.device)
        return states[rows, mask.sum(dim=1) - 1]
    weights = mask.unsqueeze(-1).to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1)

"""A frozen dense map, `x W' + b`, by the fastest float32 and bfloat16 product that the processor has.

On x86 processors torch multiplies float32 matrices with MKL, which leaves AVX-512 unused where the processor is not
Intel's: on an AMD EPYC (Zen 5) it reaches less than half the rate of oneDNN, which torch carries, too, and uses for
bfloat16. torch takes oneDNN for float32 in compiled models alone (`torch.compile`); here its operator is called
directly. Both products are of float32 numbers with float32 sums, so that they differ by rounding.
"""

import functools
import platform
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu as exact_gelu
from torch.nn.functional import linear


class Dense:
    """`x W' + b`, followed by the exact (erf) GELU with `gelu`; for inference.

    weight: (d_out, d_in); bias: (d_out,) or None; both stay where they are. A call takes (..., d_in) and gives
    (..., d_out).
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, *, gelu: bool = False) -> None:
        self.weight, self.bias, self.gelu = weight, bias, gelu
        self._onednn = onednn_product(weight)

    @classmethod
    def of(cls, *layers: nn.Linear, gelu: bool = False) -> "Dense":
        """The map of one linear layer, or of several that take the same input, their results side by side."""
        if len(layers) == 1:
            return cls(layers[0].weight.detach(), _detached(layers[0].bias), gelu=gelu)
        weight = torch.cat([layer.weight.detach() for layer in layers])
        return cls(weight, torch.cat([layer.bias.detach() for layer in layers]), gelu=gelu)

    def __call__(self, x: Tensor) -> Tensor:
        """(..., d_out) of (..., d_in)."""
        if self._onednn is not None:
            activation, kind = ("gelu", "none") if self.gelu else ("none", "")
            result: Tensor = self._onednn(x, self.weight, self.bias, activation, [], kind)
            return result
        out = linear(x, self.weight, self.bias)
        return exact_gelu(out) if self.gelu else out


def onednn_product(weight: Tensor) -> Any | None:
    """oneDNN's product with this matrix as torch's operator; None where there is none, or one of no use.

    It takes x, weight, bias, and of an activation the name, numbers and algorithm.
    """
    if weight.device.type != "cpu" or weight.dtype not in {torch.float32, torch.bfloat16}:
        return None
    return _operator()


@functools.cache
def _operator() -> Any | None:
    if platform.machine() not in {"x86_64", "AMD64"} or not torch.backends.mkldnn.is_available():
        return None
    try:  # it is not among torch's documented functions, so it is tried before it is relied on
        operator = torch.ops.mkldnn._linear_pointwise.default
        x = torch.linspace(-2, 2, 15).view(3, 5)
        with torch.inference_mode():
            found = operator(x, x[:2].contiguous(), None, "gelu", [], "none")
            expected = exact_gelu(x @ x[:2].T)
    except (AttributeError, RuntimeError):
        return None
    return operator if torch.allclose(found, expected, atol=1e-5) else None


def _detached(tensor: Tensor | None) -> Tensor | None:
    return None if tensor is None else tensor.detach()

"""Where a transformer runs, and in which arithmetic."""

import platform
import re
from typing import TYPE_CHECKING

from bias_lab.errors import ConfigError

if TYPE_CHECKING:
    import torch

DTYPES = ("auto", "float32", "bfloat16", "float16")
DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d+)?")


def choose_device(device: str) -> "torch.device":
    """The device; `auto` takes a GPU where there is one. Raises `ConfigError` for one that is not there."""
    import torch

    if device != "auto":
        chosen = torch.device(device)
        there = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
        if (chosen.index or 0) >= there[chosen.type]:
            found = ", ".join(kind for kind, number in there.items() if number)
            raise ConfigError(f"model.device={device}: torch finds no such device here ({found}); use auto or cpu")
        return chosen
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def choose_dtype(dtype: str, device: "torch.device") -> str:
    """The floating-point type; `auto` is bfloat16 on a CUDA GPU that computes in it, float32 elsewhere.

    Raises `ConfigError` for bfloat16 on a processor without instructions for it, which would only emulate it.
    """
    import torch

    if dtype == "auto":
        fast = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        return "bfloat16" if fast else "float32"
    if dtype == "bfloat16" and device.type == "cpu" and not cpu_has_bfloat16():
        raise ConfigError(
            "model.dtype=bfloat16: this processor has no instructions for it (AVX512-BF16 or AMX on x86), so that it "
            "would be slower than float32, and less exact; use model.dtype=float32"
        )
    return dtype


def cpu_has_bfloat16() -> bool:
    """Whether matrix products of bfloat16 have instructions of their own on this processor."""
    import torch

    if platform.machine().lower() in ("x86_64", "amd64"):
        capabilities = torch.cpu.get_capabilities()
        return any(capabilities.get(name, False) for name in ("avx512_bf16", "amx_bf16", "avx10_2"))
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())

"""The machine and the versions that a result belongs to."""

import importlib.metadata
import os
import platform
from pathlib import Path

PACKAGES = ("torch", "transformers", "pytorch-lightning", "hydra-core", "numpy", "statsmodels", "sentence-transformers")


def describe() -> str:
    """Processor, cores, GPU, operating system and versions, in one line."""
    import torch

    gpus = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
    parts = [f"{processor()}, {os.cpu_count()} cores, {torch.get_num_threads()} threads", *gpus, platform.system()]
    return ", ".join(parts + [f"{name} {version(name)}" for name in PACKAGES])


def processor() -> str:
    """The processor's name, as Linux tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def version(package: str) -> str:
    """The installed version, or `not installed`."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"

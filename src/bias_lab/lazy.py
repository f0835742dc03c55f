"""Packages that offer names of their modules and import a module when the first of its names is used.

So that a command's --help, or a mistake in its options, is not kept waiting for pandas and SciPy.
"""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any


def offered(package: str, **modules: Sequence[str]) -> Callable[[str], Any]:
    """Make a package's `__getattr__`: for each of its modules, the names that are offered from it.

    A name must not be a module's, which would take its place as soon as it is imported.
    """
    homes = {name: module for module, names in modules.items() for name in names}

    def attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)  # the next time it is found without asking here
        return value

    return attribute

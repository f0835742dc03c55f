"""Packages whose names are imported when they are used."""

from importlib import import_module
from pkgutil import iter_modules

import pytest

PACKAGES = ["audit", "calibration", "corpora", "diagnose", "stats"]


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_offers_what_it_lists_and_no_name_is_a_modules(name):
    package = import_module(f"bias_lab.{name}")
    assert sorted(package.__all__) == package.__all__
    modules = {
        module.name: import_module(f"bias_lab.{name}.{module.name}") for module in iter_modules(package.__path__)
    }
    for offered in package.__all__:
        # A module of that name would be found in its place, were it not imported before.
        assert getattr(package, offered) is not modules.get(offered)


def test_a_name_that_is_not_offered_is_an_attribute_error_as_in_any_module():
    stats = import_module("bias_lab.stats")
    with pytest.raises(AttributeError, match=r"^module 'bias_lab.stats' has no attribute 'anlyse'$"):
        _ = stats.anlyse

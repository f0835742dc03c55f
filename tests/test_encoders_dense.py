"""The dense map against torch's own, with oneDNN's product and without it."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import gelu, linear

from bias_lab.encoders import dense
from bias_lab.encoders.dense import Dense, onednn_product

TOLERANCE = 1e-5  # float32 sums of 24 terms in another order, and oneDNN's own erf


@pytest.fixture(params=["as it is", "without oneDNN"])
def product(request, monkeypatch):
    if request.param == "without oneDNN":
        monkeypatch.setattr(dense, "_operator", lambda: None)


def layers(count, *, bias=True):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return [nn.Linear(24, 10 + number, bias=bias) for number in range(count)]


@pytest.mark.usefixtures("product")
@pytest.mark.parametrize("shape", [(24,), (1, 24), (5, 24), (3, 7, 24)])
def test_it_is_the_linear_layers_map(shape):
    [layer] = layers(1)
    x = torch.randn(shape, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        np.testing.assert_allclose(Dense.of(layer)(x), layer(x), atol=TOLERANCE)
        np.testing.assert_allclose(Dense.of(layer, gelu=True)(x), gelu(layer(x)), atol=TOLERANCE)


@pytest.mark.usefixtures("product")
def test_of_several_layers_the_results_lie_side_by_side():
    several = layers(3)
    x = torch.randn(4, 24, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        expected = torch.cat([layer(x) for layer in several], dim=1)
        np.testing.assert_allclose(Dense.of(*several)(x), expected, atol=TOLERANCE)


@pytest.mark.usefixtures("product")
def test_a_view_with_gaps_and_a_layer_without_bias():
    [layer] = layers(1, bias=False)
    x = torch.randn(4, 6, 24, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        np.testing.assert_allclose(Dense.of(layer)(x[:, 0]), linear(x[:, 0], layer.weight), atol=TOLERANCE)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64])
def test_other_arithmetic_stays_with_torch(dtype):
    assert onednn_product(torch.ones(2, 3, dtype=dtype)) is None
    [layer] = layers(1)
    x = torch.ones(2, 24, dtype=dtype)
    with torch.inference_mode():
        assert torch.equal(Dense.of(layer.to(dtype))(x), layer(x))


@pytest.mark.parametrize("error", [AttributeError, RuntimeError])
def test_a_torch_without_the_operator_is_not_relied_on(monkeypatch, error):
    class Torch:
        def __getattr__(self, name):
            raise error(name)

    monkeypatch.setattr(torch.ops, "mkldnn", Torch())
    dense._operator.cache_clear()
    try:
        assert onednn_product(torch.ones(2, 3)) is None
    finally:
        dense._operator.cache_clear()

import numpy as np
import pytest
import torch

from bias_lab.errors import ConfigError
from bias_lab.models.head import two_layer_head


def test_it_computes_the_formula():
    head = two_layer_head(in_features=3, hidden=2)
    first, second = head[0], head[3]
    x = np.array([[1.0, -2.0, 0.5], [0.0, 0.0, 0.0]], dtype=np.float32)
    hidden = np.maximum(x @ first.weight.detach().numpy().T + first.bias.detach().numpy(), 0)
    logit = hidden @ second.weight.detach().numpy().T + second.bias.detach().numpy()
    expected = 1 / (1 + np.exp(-logit[:, 0]))
    # float32: a few units in the last place
    np.testing.assert_allclose(head(torch.from_numpy(x)).detach().numpy(), expected, rtol=1e-6)


def test_identity_output_is_unbounded():
    head = two_layer_head(in_features=1, hidden=1, output="identity")
    with torch.no_grad():
        head[0].weight.fill_(1)
        head[0].bias.zero_()
        head[3].weight.fill_(1)
        head[3].bias.zero_()
    assert head(torch.tensor([[5.0]])).tolist() == [5.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hidden": 0}, "model.hidden=0: give a whole number, 1 or more"),
        ({"hidden": "many"}, "model.hidden=many: give a whole number, 1 or more"),
        ({"activation": "selu"}, "model.activation=selu: choose one of relu, gelu, tanh"),
        ({"output": "softmax"}, "model.output=softmax: choose one of sigmoid, identity"),
        ({"dropout": 1.0}, "model.dropout=1.0: must be at least 0 and less than 1"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ConfigError) as caught:
        two_layer_head(in_features=3, **options)
    assert str(caught.value) == message

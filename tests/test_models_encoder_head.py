from functools import partial

import numpy as np
import pytest
import pytorch_lightning as pl
import torch

from bias_lab.errors import ConfigError, ModelError
from bias_lab.evaluation import pearson
from bias_lab.models.encoder_head import EncoderHeadRegressor
from bias_lab.models.module import FrozenEncoderRegressor
from bias_lab.models.regressor import Regressor
from bias_lab.models.training import TensorBatches, train_head

TRAINER = partial(
    pl.Trainer,
    accelerator="cpu",
    devices=1,
    max_epochs=30,
    deterministic=True,
    enable_progress_bar=False,
    enable_model_summary=False,
    enable_checkpointing=False,
    logger=False,
    num_sanity_val_steps=0,
)
WORDS = {"angry": 0.9, "happy": 0.1, "sad": 0.6, "calm": 0.2, "afraid": 0.7}
TEXTS = [
    f"{start} {word} {end}" for word in WORDS for start in ("i am", "what a day", "so very") for end in ("today", "!")
]
SCORES = np.array([WORDS[word] for word in WORDS for _ in range(6)])


def regressor(folder, root, **options):
    chosen = {
        "name_or_path": str(folder),
        "language": "en",
        "cache_root": root,
        "trainer": TRAINER,
        **options,
    }
    return EncoderHeadRegressor(**chosen)


def fitted(folder, root, seed=0, **options):
    model = regressor(folder, root, **options)
    model.fit(TEXTS[::2], SCORES[::2], dev_texts=TEXTS[1::2], dev_scores=SCORES[1::2], seed=seed)
    return model


def test_it_is_a_regressor_and_learns(tiny_checkpoint, tmp_path):
    model = fitted(tiny_checkpoint, tmp_path, layer=0, pooling="mean", optimizer=partial(torch.optim.Adam, lr=0.03))
    assert isinstance(model, Regressor)
    predicted = model.predict(TEXTS)
    assert predicted.dtype == np.float64
    assert ((predicted > 0) & (predicted < 1)).all()
    assert pearson(predicted, SCORES) > 0.8


def test_the_same_seed_gives_the_same_bits_whatever_ran_before(tiny_checkpoint, tmp_path):
    first = fitted(tiny_checkpoint, tmp_path, dropout=0.2).predict(TEXTS)
    torch.manual_seed(123)
    torch.rand(7)
    np.testing.assert_array_equal(fitted(tiny_checkpoint, tmp_path, dropout=0.2).predict(TEXTS), first)
    assert not np.array_equal(fitted(tiny_checkpoint, tmp_path, seed=1, dropout=0.2).predict(TEXTS), first)


def test_fitting_leaves_the_global_random_state_alone(tiny_checkpoint, tmp_path):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    fitted(tiny_checkpoint, tmp_path)
    torch.testing.assert_close(torch.rand(3), expected, rtol=0, atol=0)


def test_scores_block_by_block_are_those_of_the_whole(tiny_checkpoint, tmp_path, monkeypatch):
    model = fitted(tiny_checkpoint, tmp_path)
    whole = model.predict(TEXTS)
    vectors = torch.from_numpy(model.embedder(TEXTS))
    with torch.inference_mode():
        np.testing.assert_array_equal(whole, model.module.score_vectors(vectors).double().numpy())
    monkeypatch.setattr("bias_lab.encoders.embedder.BLOCK_ROWS", 7)
    # The float32 product of another shape may round another way.
    np.testing.assert_allclose(model.predict(TEXTS), whole, rtol=3e-7)


def test_an_encoder_that_is_loaded_while_predicting_can_be_used_for_training(tiny_checkpoint, tmp_path):
    model = fitted(tiny_checkpoint, tmp_path)
    del model.embedder.encoder.transformer
    model.predict(["i am so calm again"])
    assert not any(weight.is_inference() for weight in model.embedder.encoder.transformer.parameters())


def test_forward_from_tokens_gives_what_the_cached_path_gives(tiny_checkpoint, tmp_path):
    model = fitted(tiny_checkpoint, tmp_path, prefix="query: ")
    encoder = model.embedder.encoder
    batch = encoder.tokenize([encoder.model_input(text) for text in TEXTS])
    with torch.inference_mode():
        from_tokens = model.module(batch).double().numpy()
    # Padded batches add in another order: a few units in the last place of float32.
    np.testing.assert_allclose(from_tokens, model.predict(TEXTS), atol=1e-5)


def test_the_encoder_is_neither_trained_nor_saved_nor_put_in_train_mode(tiny_checkpoint, tmp_path):
    model = fitted(tiny_checkpoint, tmp_path / "cache")
    module = model.module
    module.train()
    assert not module._encoder.transformer.training
    assert {name.split(".")[0] for name in module.state_dict()} == {"head"}
    assert len(list(module.parameters())) == 4


def test_the_checkpoint_holds_the_head_only_in_plain_types(tiny_checkpoint, tmp_path):
    model = fitted(tiny_checkpoint, tmp_path / "cache")
    model.save(tmp_path)
    content = torch.load(tmp_path / "head.ckpt", weights_only=True)
    assert set(content["state_dict"]) == {f"head.{layer}.{kind}" for layer in (0, 3) for kind in ("weight", "bias")}
    assert content["hyper_parameters"] == {
        "in_features": 16,
        "hidden": 128,
        "activation": "relu",
        "output": "sigmoid",
        "dropout": 0.0,
    }
    loaded = FrozenEncoderRegressor.load_from_checkpoint(
        tmp_path / "head.ckpt", weights_only=True, encoder=model.embedder.encoder
    ).eval()
    batch = model.embedder.encoder.tokenize(TEXTS)
    with torch.inference_mode():
        np.testing.assert_allclose(loaded(batch).double().numpy(), model.predict(TEXTS), atol=1e-5)


def test_the_best_epoch_on_dev_is_restored_and_training_stops_early():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 4)).astype(np.float32), rng.random(60)
    dev = rng.normal(size=(40, 4)).astype(np.float32), rng.random(40)
    torch.manual_seed(0)
    module = FrozenEncoderRegressor(in_features=4, optimizer=partial(torch.optim.Adam, lr=0.05))
    _, history = train_head(module, (x, y), dev, trainer=TRAINER, batch_size=16, patience=3, seed=0)
    course = [epoch["train/dev_pearson"] for epoch in history.epochs]
    assert history.best_epoch == int(np.argmax(course))
    assert len(course) == history.best_epoch + 1 + 3 < 30
    module.eval()
    with torch.inference_mode():
        predicted = module.score_vectors(torch.from_numpy(dev[0])).double().numpy()
    assert pearson(predicted, dev[1]) == pytest.approx(max(course), abs=1e-6)
    assert history.best_dev_pearson == max(course)


def random_rows(n, width):
    rng = np.random.default_rng(n)
    return rng.normal(size=(n, width)).astype(np.float32), rng.random(n)


def test_any_number_of_threads_trains_the_same_head():
    heads = []
    before = torch.get_num_threads()
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            torch.manual_seed(0)
            module = FrozenEncoderRegressor(in_features=384)
            # The last batch has 5 rows: their product with the weights is one that torch adds up by threads.
            rows = random_rows(645, 384), random_rows(400, 384)
            train_head(module, *rows, trainer=partial(TRAINER, max_epochs=3), batch_size=32, patience=5, seed=0)
            assert torch.get_num_threads() == threads
            heads.append(module.head.state_dict())
    finally:
        torch.set_num_threads(before)
    for name, weights in heads[0].items():
        torch.testing.assert_close(weights, heads[1][name], rtol=0, atol=0)


@pytest.mark.parametrize("chosen", [False, True])
def test_fitting_leaves_the_choice_of_algorithms_alone(chosen):
    torch.use_deterministic_algorithms(chosen)
    try:
        module = FrozenEncoderRegressor(in_features=4)
        rows, trainer = random_rows(8, 4), partial(TRAINER, max_epochs=1, deterministic=not chosen)
        train_head(module, rows, rows, trainer=trainer, batch_size=4, patience=1, seed=0)
        assert torch.are_deterministic_algorithms_enabled() is chosen
    finally:
        torch.use_deterministic_algorithms(False)


def test_the_course_has_the_mean_losses_over_all_rows():
    train, dev = random_rows(70, 4), random_rows(30, 4)
    still = partial(torch.optim.SGD, lr=0.0)  # so that the loss is that of one head in all batches of the epoch
    module = FrozenEncoderRegressor(in_features=4, optimizer=still)
    trainer = partial(TRAINER, max_epochs=2)
    _, history = train_head(module, train, dev, trainer=trainer, batch_size=16, patience=5, seed=0)
    with torch.inference_mode():
        losses = [np.mean((module.score_vectors(torch.from_numpy(x)).numpy() - y) ** 2) for x, y in (train, dev)]
    for epoch in history.epochs:
        assert set(epoch) == {"train/loss", "train/dev_loss", "train/dev_pearson"}
        # float32: a few units in the last place
        assert [epoch["train/loss"], epoch["train/dev_loss"]] == pytest.approx(losses, rel=1e-6)


def test_options_of_the_trainer_reach_the_training():
    rows = random_rows(32, 4)
    module = FrozenEncoderRegressor(in_features=4, optimizer=partial(torch.optim.SGD, lr=1.0))
    before = module.head[0].weight.detach().clone()
    trainer = partial(TRAINER, max_epochs=2, gradient_clip_val=1e-4, accumulate_grad_batches=2)
    fitter, _ = train_head(module, rows, rows, trainer=trainer, batch_size=8, patience=5, seed=0)
    assert fitter.global_step == 2 * 4 / 2  # epochs x batches / accumulated
    moved = (module.head[0].weight - before).norm().item()
    assert 0 < moved <= 4 * 1e-4


def test_a_constant_dev_target_trains_to_the_end_of_patience():
    x, y = np.eye(4, dtype=np.float32), np.array([0.1, 0.2, 0.3, 0.4])
    module = FrozenEncoderRegressor(in_features=4)
    _, history = train_head(module, (x, y), (x, np.full(4, 0.5)), trainer=TRAINER, batch_size=2, patience=2, seed=0)
    assert [epoch["train/dev_pearson"] for epoch in history.epochs] == [-1.0, -1.0, -1.0]
    assert history.best_epoch == 0


def test_batches_cover_every_row_once_an_epoch_in_a_seeded_order():
    rows = (np.arange(10, dtype=np.float32)[:, None], np.arange(10) / 10)
    batches = TensorBatches(rows, batch_size=4, seed=1)
    epochs = [[y.tolist() for _, y in batches] for _ in range(2)]
    assert [len(batch) for batch in epochs[0]] == [4, 4, 2]
    assert len(batches) == 3
    assert sorted(score for batch in epochs[0] for score in batch) == pytest.approx([i / 10 for i in range(10)])
    assert epochs[0] != epochs[1]
    again = TensorBatches(rows, batch_size=4, seed=1)
    assert [y.tolist() for _, y in again] == epochs[0]
    assert all(torch.equal(x[:, 0] / 10, y) for x, y in batches)


def test_coverage_counts_tokens_and_unknown_ones(tiny_checkpoint, tmp_path):
    assert regressor(tiny_checkpoint, tmp_path).coverage(["i am zzz", "calm"]) == {"tokens": 4, "unknown": 1}


def test_the_prefix_does_not_count_as_the_texts_tokens(tiny_checkpoint, tmp_path):
    model = regressor(tiny_checkpoint, tmp_path, prefix="query: ")
    assert model.coverage(["i am zzz", "calm"]) == {"tokens": 4, "unknown": 1}


def test_an_encoder_of_another_language_is_warned_about(tiny_checkpoint, tmp_path, caplog):
    regressor(tiny_checkpoint, tmp_path, languages=["es", "ar"])
    assert "task.lang=en, but this encoder was made for es, ar only" in caplog.text


def test_training_that_diverges_or_does_not_happen_is_told(tiny_checkpoint, tmp_path):
    with pytest.raises(ModelError, match=r"the head's training diverged \(NaN or infinite scores\)"):
        fitted(tiny_checkpoint, tmp_path, output="identity", optimizer=partial(torch.optim.Adam, lr=1e30))
    with pytest.raises(ConfigError, match=r"trainer.max_epochs: no epoch was trained; give 1 or more"):
        fitted(tiny_checkpoint, tmp_path, trainer=partial(TRAINER, max_epochs=0))


def test_options_by_language_pick_one(tiny_checkpoint, tmp_path):
    model = regressor(tiny_checkpoint, tmp_path, name_or_path={"en": str(tiny_checkpoint)})
    assert model.embedder.encoder.name_or_path == str(tiny_checkpoint)
    with pytest.raises(ConfigError) as caught:
        regressor(tiny_checkpoint, tmp_path, name_or_path={"en": "a/b", "es": "a/c"}, language="ar")
    assert str(caught.value) == "model.name_or_path has no entry for task.lang=ar; it has en, es"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "model.batch_size=0: give a whole number, 1 or more"),
        ({"patience": 0}, "model.patience=0: give a whole number, 1 or more"),
        (
            {"name_or_path": ""},
            "model.name_or_path is empty: give a hub id such as FacebookAI/xlm-roberta-base, "
            "or a folder with config.json, tokenizer and *.safetensors",
        ),
    ],
)
def test_bad_options_are_refused(tiny_checkpoint, tmp_path, options, message):
    with pytest.raises(ConfigError) as caught:
        regressor(tiny_checkpoint, tmp_path, **options)
    assert str(caught.value) == message

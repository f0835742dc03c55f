"""Fixtures shared by the tests."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The developers' folder of real data and reference values; tests that need it skip where it is missing."""
    folder = Path(os.environ.get("BIAS_LAB_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    if not (folder / "reference" / "beta_mle.json").is_file():
        pytest.skip(f"the shared data folder is not at {folder} (set BIAS_LAB_SHARED)")
    return folder


TINY_VOCABULARY = [
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "i", "am", "so", "very", "angry", "happy", "sad", "afraid", "calm",
    "today", "the", "bus", "was", "late", "again", "what", "a", "day", "feels", "##s", "query", ":", ".", "!", "&",
]  # fmt: skip


@pytest.fixture(scope="session")
def tiny_checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real BERT checkpoint folder with random weights, small enough for a test: 2 layers of width 16."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder = tmp_path_factory.mktemp("tiny-bert")
    (folder / "vocab.txt").write_text("\n".join(TINY_VOCABULARY) + "\n", encoding="utf-8")
    tokenizer = BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=64)
    tokenizer.save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(TINY_VOCABULARY),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=0.5,  # wide, so that texts have clearly different vectors
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture
def sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run a sweep of a model that takes no time in this process; see `SweepHere`."""
    from sweep_here import SweepHere

    return SweepHere(tmp_path, monkeypatch, capsys)

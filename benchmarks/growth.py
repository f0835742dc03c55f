"""Seconds a sentence and peak memory of whole cells on CSV corpora of 10^4 to 10^6 sentences: linear, and bounded.

Each size is one `python -m bias_lab` in a process of its own with an empty cache: read the CSV, clean, encode, score,
write, fit. The encoder is a BERT of one layer with random weights, made here: its vectors have a real size (384), its
arithmetic costs next to nothing, so that what is measured is the path around it. Start-up, the sample's texts, torch
and the model are taken off: they are what a corpus of 100 sentences takes.
"""

import argparse
import csv
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.timing import Figure, ratios

SMALLEST, SIZES = 100, (10_000, 100_000, 1_000_000)
ONCE = 50_000  # corpora of more sentences are run once: their own length evens the noise out
GROUPS = (("European", "male"), ("European", "female"), ("African-American", "male"), ("African-American", "female"))
NAMES = tuple(f"name{number}" for number in range(40))
WORDS = ("angry", "furious", "irritated", "annoyed", "enraged")
THINGS = tuple(f"thing{number}" for number in range(75))
COLUMNS = ("sentence", "template", "item", "person", "race", "gender", "emotion", "emotion word")


@dataclass(frozen=True)
class Cost:
    """What one process took: wall time, and the most memory it ever held."""

    seconds: float
    gigabytes: float


def measure(options: argparse.Namespace) -> list[Figure]:
    """Rows by size: seconds a sentence in those of the smallest size; gigabytes beyond the model."""
    sizes = [size for size in SIZES if size <= options.most_sentences]
    costs: dict[int, list[Cost]] = {size: [] for size in (SMALLEST, *sizes)}
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = make_checkpoint(Path(folder) / "encoder")
        for size in costs:
            write_corpus(Path(folder) / f"{size}.csv", size)
        for number in range(max(1, min(3, options.rounds))):
            for size, found in costs.items():
                if number == 0 or size <= ONCE:
                    found.append(run_cell(Path(folder), checkpoint, size, options.device))
    base = Cost(
        statistics.median(cost.seconds for cost in costs[SMALLEST]),
        statistics.median(cost.gigabytes for cost in costs[SMALLEST]),
    )
    return [*(time_row(size, costs, sizes[0], base) for size in sizes), *(memory_row(s, costs, base) for s in sizes)]


def time_row(size: int, costs: dict[int, list[Cost]], first: int, base: Cost) -> Figure:
    """Seconds a sentence of one size in those of the first, each beyond the start."""
    seconds = [(cost.seconds - base.seconds) / size for cost in costs[size]]
    against = [(cost.seconds - base.seconds) / first for cost in costs[first]]
    found = ratios(seconds, [statistics.median(against)] * len(seconds))
    ours, theirs = statistics.median(seconds), statistics.median(against)
    return Figure(
        f"{size:,} sentences, seconds a sentence",
        f"{ours * size:.3g} s ({ours * 1e6:.3g} µs each)",
        f"{first:,}: {theirs * first:.3g} s ({theirs * 1e6:.3g} µs each)",
        *found,
        at_most=1.5,
    )


def memory_row(size: int, costs: dict[int, list[Cost]], base: Cost) -> Figure:
    """Most gigabytes of one size beyond those of the smallest corpus."""
    beyond = [cost.gigabytes - base.gigabytes for cost in costs[size]]
    middle = statistics.median(beyond)
    return Figure(
        f"{size:,} sentences, GB beyond the model",
        f"{middle + base.gigabytes:.2f} GB",
        f"{base.gigabytes:.2f} GB with {SMALLEST} sentences",
        middle,
        min(beyond),
        max(beyond),
        at_most=2,
    )


def run_cell(folder: Path, checkpoint: Path, size: int, device: str) -> Cost:
    """One whole cell on a corpus of this size, with an empty cache."""
    with tempfile.TemporaryDirectory(dir=folder) as work:
        command = [
            *(sys.executable, "-m", "bias_lab", "task=sample", "model=encoder", f"model.name_or_path={checkpoint}"),
            *(f"model.device={device}", "trainer.max_epochs=3", "tracking=off", "eec=csv"),
            *(f"eec.corpora.csv.path={folder / f'{size}.csv'}", "eec.corpora.csv.language=en"),
            *(f"cache_dir={work}/cache", f"hydra.run.dir={work}/run"),
        ]
        start = time.perf_counter()
        # The log goes to a file: a pipe that nobody reads while we wait would stop the run.
        with (folder / "log.txt").open("w") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=log, env={**os.environ, "OMP_WAIT_POLICY": "PASSIVE"}
            )
            _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} failed:\n{(folder / 'log.txt').read_text()[-3000:]}")
    unit = 1 if sys.platform == "darwin" else 1024
    return Cost(seconds, usage.ru_maxrss * unit / 1e9)


def rows(size: int) -> Iterator[tuple[str, ...]]:
    """Sentences that all differ: every name in every item, an item a word and two things."""
    items = itertools.islice(itertools.product(THINGS, THINGS, WORDS), -(-size // len(NAMES)))
    for number, (one, other, word) in enumerate(items):
        for person, name in enumerate(NAMES):
            sentence = f"{name} feels {word} about {one} " + (f"near {other}" if number % 3 else f"since {other} came.")
            race, gender = GROUPS[person % 4]
            yield sentence, f"t{number % 97}", f"i{number}", name, race, gender, "anger", word


def write_corpus(path: Path, size: int) -> None:
    """A CSV file of this many sentences."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(COLUMNS)
        writer.writerows(itertools.islice(rows(size), size))


def make_checkpoint(folder: Path) -> Path:
    """A BERT of one layer and width 384 with random weights, that knows the words of the corpus."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    folder.mkdir()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = ["feels", "about", "near", "since", "came", "."]
    vocabulary = [*special, *words, *NAMES, *WORDS, *THINGS]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    BertTokenizer(vocab=str(folder / "vocab.txt"), model_max_length=128).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=384,
        num_hidden_layers=1,
        num_attention_heads=6,
        intermediate_size=32,
        max_position_embeddings=128,
        initializer_range=0.1,  # wide enough for the texts' vectors, and so their scores, to differ
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        BertModel(config).save_pretrained(folder)
    return folder

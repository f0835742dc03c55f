"""A warm cell (all texts encoded) in a sweep against a bare loop of the same cell, beside it what W&B adds.

Ours is what a cell adds to `python -m bias_lab -m`: from the end of the cell before it to its own end, by their
manifests. That is composition, task, three corpora, head, scores, all statistics, figures, tables, files. The bare loop
(plain_cell.py) loads the same vectors from one file, trains the head in the same batches and epochs, scores the three
corpora, fits the two regressions of the paper on each with statsmodels' BetaModel, and writes the predictions. What a
sweep pays once, start-up with the first cell and the summary at its end, is told beside it.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import plain_cell
from benchmarks.timing import Figure, ratios, told

EMOTIONS, SEEDS = ("anger", "joy"), (0, 1)  # the sweep's cells
SIZES = {"train": 1700, "dev": 390, "test": 1000}  # of the task that stands in for the tweets
NOISE = 0.15  # of their scores, so that heads learn about as much as from tweets
MOST_ROUNDS = 2


@dataclass(frozen=True)
class Sweep:
    """Seconds of a sweep: up to the end of its first cell, of each further cell, and of what follows the last."""

    first: float
    further: list[float]
    end: float


def measure(options: argparse.Namespace) -> list[Figure]:
    """Rows: a further cell, one that differs in its seed alone, W&B, and what a sweep pays once."""
    with tempfile.TemporaryDirectory() as name:
        work = Work(Path(name), options)
        work.sweep("cold", "off", EMOTIONS, (0,))
        work.prepare_plain()
        plain: dict[str, list[np.ndarray]] = {case: [] for case in work.threads}
        off, offline = [], []
        for number in range(max(1, min(MOST_ROUNDS, options.rounds))):
            off.append(work.sweep(f"off{number}", "off", EMOTIONS, SEEDS))
            for case, threads in work.threads.items():
                plain[case].append(work.plain(work.folder / f"off{number}", threads))
            offline.append(work.sweep(f"wandb{number}", "wandb", EMOTIONS, SEEDS))
    ours = [np.array(sweep.further) for sweep in off]
    only_seed = [place for place in range(len(ours[0])) if (place + 1) % len(SEEDS)]
    figures = [against(f"a cell; bare loop: {case}", ours, found, goal=4) for case, found in plain.items()]
    case = next(iter(plain))
    figures.append(
        against(
            f"a cell that differs in its seed alone; bare loop: {case}",
            [cells[only_seed] for cells in ours],
            [cells[only_seed] for cells in plain[case]],
            goal=4,
        )
    )
    with_wandb = [np.array(sweep.further) for sweep in offline]
    figures.append(against("a cell, tracking=wandb offline", with_wandb, ours, name="tracking=off"))
    once = [sweep.first + sweep.end for sweep in off]
    figures.append(
        Figure(
            "start-up with the first cell, and summary, once a sweep",
            f"{told([sweep.first for sweep in off])} and {told([sweep.end for sweep in off])}",
            f"a further cell {told([cells.mean() for cells in ours])}",
            *ratios(once, [cells.mean() for cells in ours]),
        )
    )
    return figures


def against(
    case: str, ours: list[np.ndarray], theirs: list[np.ndarray], *, goal: float | None = None, name: str = "bare loop"
) -> Figure:
    """Compare seconds by cell, one array a round: the ratio of all cells together, round by round."""
    mine, other = ([float(cells.mean()) for cells in rounds] for rounds in (ours, theirs))
    return Figure(case, told(mine), f"{name} {told(other)}", *ratios(mine, other), at_most=goal)


class Work:
    """The folder that all is written to, and what both sides are given."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        import torch

        self.folder = folder
        self._model, self._device = options.model, options.device
        self.threads = {"one thread": 1, f"{torch.get_num_threads()} threads": torch.get_num_threads()}
        self._trainer = "cuda" if torch.cuda.is_available() and options.device != "cpu" else "cpu"
        self.task = (
            ["task=semeval2018", f"task.data_dir={options.data.absolute()}"] if options.data else stand_in(folder)
        )

    def sweep(self, name: str, tracking: str, emotions: tuple[str, ...], seeds: tuple[int, ...]) -> Sweep:
        """Run the command over emotions and seeds, in this order."""
        out = self.folder / name
        command = [
            *(sys.executable, "-m", "bias_lab", "-m", *self.task, "task.lang=en", "eec=auto", "model=encoder"),
            *(f"model.name_or_path={self._model}", f"model.device={self._device}", f"tracking={tracking}"),
            *(["tracking.mode=offline"] if tracking == "wandb" else []),
            *(["trainer=cpu"] if self._trainer == "cpu" else []),
            *(f"task.emotion={','.join(emotions)}", f"seed={','.join(map(str, seeds))}"),
            *(f"cache_dir={self.folder / 'cache'}", f"hydra.sweep.dir={out}"),
        ]
        start = time.time()
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=self.folder)
        stop = time.time()
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        ends = [
            datetime.fromisoformat(manifest(out / str(n))["ended"]).timestamp()
            for n in range(len(emotions) * len(seeds))
        ]
        return Sweep(ends[0] - start, list(np.diff(ends)), stop - ends[-1])

    def prepare_plain(self) -> None:
        """Write the vectors that the plain script loads, one file an emotion, and note its tables and formulas."""
        from bias_lab.encoders.embedder import Embedder
        from bias_lab.encoders.frozen import FrozenEncoder
        from bias_lab.text import Cleaning

        encoder = FrozenEncoder(name_or_path=self._model, device=self._device)
        embed = Embedder(encoder, Cleaning(), self.folder / "cache")
        self._corpora: dict[str, dict[str, pd.DataFrame]] = {}
        for number, emotion in enumerate(EMOTIONS):
            task, self._corpora[emotion], self._formulas = given(self.folder / "cold" / str(number))
            vectors = {name: embed(table["sentence"].tolist()) for name, table in self._corpora[emotion].items()}
            splits = {"x": embed(task.train.texts), "dev_x": embed(task.dev.texts)}
            scores = {"y": task.train.scores, "dev_y": task.dev.scores}
            np.savez(self.folder / f"{emotion}.npz", **vectors, **splits, **scores)  # type: ignore[arg-type]

    def plain(self, sweep: Path, threads: int) -> np.ndarray:
        """Seconds of the plain script for each cell of a sweep but the first; checks that it trained the same head."""
        import torch

        seconds, before = [], torch.get_num_threads()
        torch.set_num_threads(threads)
        for number, (emotion, seed) in enumerate((emotion, seed) for emotion in EMOTIONS for seed in SEEDS):
            start = time.perf_counter()
            trained = plain_cell.cell(
                self.folder / f"{emotion}.npz",
                self._corpora[emotion],
                self._formulas,
                self.folder,
                seed=seed,
                device=self._trainer,
            )
            seconds.append(time.perf_counter() - start)
            epochs = manifest(sweep / str(number))["model"]["training"]["epochs"]
            if threads == 1 and self._trainer == "cpu" and trained.epochs != epochs:
                raise RuntimeError(f"{emotion}, seed {seed}: {trained.epochs} epochs, but {epochs} in {sweep}")
        torch.set_num_threads(before)
        return np.array(seconds[1:])


def given(run: Path) -> tuple[Any, dict[str, pd.DataFrame], dict[str, tuple[str, str]]]:
    """What a cell read: its task, and by corpus its long table and the formulas for names and for noun phrases."""
    from omegaconf import OmegaConf

    from bias_lab.config import parse
    from bias_lab.run import load_corpora, load_task

    config = OmegaConf.load(run / "config.yaml")
    settings = parse(config)  # type: ignore[arg-type]
    tables, formulas = {}, {}
    for corpus, rows in load_corpora(settings.eec, settings.task, []):
        tables[corpus.name] = rows.reset_index(drop=True)
        nouns = rows[rows["person_kind"] == "noun_phrase"]
        levels = [f'C({f.name}, Treatment("{f.reference}"))' for f in corpus.factors]
        of_nouns = [level for f, level in zip(corpus.factors, levels, strict=True) if nouns[f.name].notna().any()]
        formulas[corpus.name] = (f"prediction ~ {' * '.join(levels)}", f"prediction ~ {' * '.join(of_nouns)}")
    return load_task(settings.task), tables, formulas


def stand_in(folder: Path) -> list[str]:
    """Write a task of the tweets' size, pairs of sample texts; returns the overrides that choose it."""
    from bias_lab.data.sample import load_sample

    task, rng = load_sample(language="en", emotion="anger"), np.random.default_rng(0)
    texts, gold = (
        np.concatenate([getattr(getattr(task, split), part) for split in SIZES]) for part in ("texts", "scores")
    )
    pairs = rng.choice(len(texts) ** 2, size=sum(SIZES.values()), replace=False)
    one, other = np.divmod(pairs, len(texts))
    scores = np.clip((gold[one] + gold[other]) / 2 + rng.normal(0, NOISE, len(pairs)), 0, 1).round(3)
    rows = pd.DataFrame({"text": [f"{texts[i]} {texts[j]}" for i, j in zip(one, other, strict=True)], "score": scores})
    overrides, start = ["task=table"], 0
    for split, size in SIZES.items():
        rows[start : start + size].to_csv(folder / f"{split}.csv", index=False)
        overrides.append(f"task.{split}={folder / f'{split}.csv'}")
        start += size
    return overrides


def manifest(run: Path) -> dict[str, Any]:
    """The manifest of a cell."""
    content: dict[str, Any] = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    return content

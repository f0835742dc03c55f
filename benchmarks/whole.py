"""A whole cell (English, anger, three corpora) against a straightforward script, with an empty cache and in a sweep.

The script (plain_script.py) pads to 64 tokens, takes batches of 8, encodes training and dev texts anew in each of ten
epochs and scores the corpora sentence by sentence, in float32. It is given cleaned texts in a file, fits no regressions
and writes no results. Of its work the share --fraction is run, and the time of that is scaled up. Ours is
`python -m bias_lab` from start to end with tracking off: cold with an empty cache, and in a sweep over seeds what each
further cell adds to the first.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.timing import Figure, ratios, seconds_of, told

PLAIN = Path(__file__).with_name("plain_script.py")
FURTHER = 4  # cells of the sweep beyond the first


def measure(options: argparse.Namespace) -> list[Figure]:
    """Rows: cold, cold in bfloat16 where that runs, and warm in a sweep."""
    plain: list[float] = []
    ours: dict[str, list[float]] = {
        "cold cell": [],
        "cold cell, model.dtype=bfloat16": [],
        "further cell of a sweep": [],
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        work = folder / "work.json"
        work.write_text(json.dumps(cell_work(options.data), ensure_ascii=False), encoding="utf-8")
        for number in range(max(1, min(2, options.rounds))):
            (folder / str(number)).mkdir()
            plain.append(plain_seconds(work, options))
            for case, seconds in zip(ours, our_seconds(folder / str(number), options), strict=True):
                ours[case].append(seconds)
    # The targets are for the published tweets; the sample has too few for the script to be slow.
    goals = (30, None, 200) if options.data else (None,) * 3
    share = f"plain script {told(plain)} ({options.fraction:.0%} of it run)"
    return [
        Figure(case, told(seconds), share, *ratios(plain, seconds), at_least=goal)
        for (case, seconds), goal in zip(ours.items(), goals, strict=True)
        if not math.isnan(sum(seconds))
    ]


def our_seconds(folder: Path, options: argparse.Namespace) -> tuple[float, float, float]:
    """Seconds of a cold cell, of one in bfloat16 (NaN where that is refused), and of a further one in a sweep."""
    cache = folder / "cache"
    cold = seconds_of(lambda: run(options, cache, folder / "cold"))
    try:
        bfloat = seconds_of(lambda: run(options, folder / "other", folder / "bfloat", "model.dtype=bfloat16"))
    except RuntimeError as error:
        if "dtype" not in str(error):
            raise
        bfloat = math.nan
    one, more = (seconds_of(lambda: run(options, cache, folder / f"{n}", seeds=n)) for n in (1, 1 + FURTHER))  # noqa: B023
    return cold, bfloat, (more - one) / FURTHER


def run(options: argparse.Namespace, cache: Path, out: Path, *more: str, seeds: int | None = None) -> None:
    """One cell, or a sweep over seeds; raises where it fails."""
    if seeds is None:
        kind = [f"hydra.run.dir={out}"]
    else:
        kind = ["-m", f"seed={','.join(map(str, range(seeds)))}", f"hydra.sweep.dir={out}"]
    task = [f"task.data_dir={options.data.absolute()}", "task=semeval2018"] if options.data else ["task=sample"]
    command = [
        *(sys.executable, "-m", "bias_lab", *task, "task.lang=en", "task.emotion=anger", "eec=auto"),
        *("model=encoder", f"model.name_or_path={options.model}", f"model.device={options.device}"),
        *("tracking=off", f"cache_dir={cache}", *kind, *more),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")


def plain_seconds(work: Path, options: argparse.Namespace) -> float:
    """Seconds that the plain script takes from start to end, the parts that it runs a share of scaled up."""
    from bias_lab.encoders.checkpoint import identify, locate

    command = [sys.executable, str(PLAIN), str(work), "--model", str(locate(identify(options.model, None)))]
    command += ["--fraction", str(options.fraction)]
    # As ours: threads that wait by spinning would slow the script on a busy machine, which is not what is measured.
    environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE"}
    if options.device != "auto":
        command += ["--device", options.device]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return seconds + sum(whole - run for run, whole in json.loads(done.stdout.splitlines()[-1]).values())


def cell_work(data: Path | None) -> dict[str, object]:
    """The texts of the cell as plain types: splits with gold scores, and the corpora's sentences of anger."""
    from bias_lab.corpora import list_corpora, load_corpus
    from bias_lab.data.sample import load_sample
    from bias_lab.data.semeval import load_semeval
    from bias_lab.data.task import SPLITS
    from bias_lab.text import Cleaning, clean

    options = {"language": "en", "emotion": "anger"}
    task = load_semeval(data, **options) if data else load_sample(**options)
    work: dict[str, object] = {}
    for name in SPLITS:
        split = getattr(task, name)
        work[name] = {"texts": [clean(text, Cleaning()) for text in split.texts], "scores": split.scores.tolist()}
    corpora = {}
    for name in list_corpora(language="en"):
        table = load_corpus(name).table
        corpora[name] = table.loc[table["emotion"] == "anger", "sentence"].tolist()
    return work | {"corpora": corpora}

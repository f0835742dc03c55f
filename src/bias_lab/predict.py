"""`python -m bias_lab.predict`: score new texts with a finished run, one score in each line of output.

RUN is a run's folder. TEXTS is a text file with one text a line, or a CSV file (.csv, .tsv) with --column. The scores
are those that the run itself would have given; where its encoder is not the same any more, that is an error.
"""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bias_lab.command import exit_code
from bias_lab.errors import ConfigError, DataError, ModelError

if TYPE_CHECKING:
    import pandas as pd

    from bias_lab.models.regressor import Regressor
    from bias_lab.run_folder import RunFolder

HEAD, BASELINE = "head.ckpt", "baseline.skops"
ENCODER = "bias_lab.models.encoder_head.EncoderHeadRegressor"
# Made anew when training starts; predicting needs none of them.
_TRAINING = ("optimizer", "loss")
# What the manifest tells of an encoder and does not change a vector.
_NOT_COMPARED = ("name_or_path", "revision", "cache")
_TABLES = (".csv", ".tsv")


def load_regressor(run: "RunFolder", *, encoder: str | None = None, cache_root: Path | None = None) -> "Regressor":
    """The trained regressor of a finished run, ready to predict.

    encoder: the checkpoint's folder or hub id where it is not where the run found it; its content must be the same.
    cache_root: of the embedding cache, by default the run's or the user's. Raises ModelError where the trained model is
    missing, damaged, or its encoder is another than the run's.
    """
    if (run.folder / BASELINE).is_file():
        from bias_lab.models.baseline import BaselineRegressor

        if encoder:
            raise ConfigError(f"--encoder: {run.label} is a baseline, which has no encoder")
        return BaselineRegressor.load(run.folder)
    if run.manifest.get("kind") == "audit":
        raise ModelError(f"{run.folder}: is an audit of scores from elsewhere, there is no model in it")
    if not (run.folder / HEAD).is_file():
        raise ModelError(f"{run.folder}: no trained model here (neither {HEAD} nor {BASELINE}); run the cell again")
    regressor = _untrained(run, encoder, cache_root)
    try:
        found = regressor.embedder.describe()
    except ModelError as error:
        raise ModelError(f"{error} Where the run's checkpoint was moved, say where with --encoder.") from None
    _check_encoder(run, found)
    regressor.module = _head(run.folder / HEAD, regressor.embedder.encoder)
    loaded: Regressor = regressor
    return loaded


def _untrained(run: "RunFolder", encoder: str | None, cache_root: Path | None) -> Any:
    """The regressor as the run's configuration describes it; only our own class is ever called."""
    from bias_lab.config import cache_root as default_cache_root
    from bias_lab.models.encoder_head import EncoderHeadRegressor

    options = {key: value for key, value in run.config.get("model", {}).items() if key not in _TRAINING}
    if (target := options.pop("_target_", None)) != ENCODER:
        raise ModelError(f"{run.folder}/config.yaml: the model is {target}, which only its owner can load")
    # The revision that the run resolved, not what its name stands for today.
    told = _of_encoder(run)
    options |= {"name_or_path": encoder or told["name_or_path"], "revision": None if encoder else told["revision"]}
    return EncoderHeadRegressor(
        **options,
        language=run.config["task"]["lang"],
        cache_root=cache_root or default_cache_root(run.config.get("cache_dir")),
        trainer=_no_trainer,
    )


def _no_trainer(**_options: Any) -> Any:
    raise RuntimeError("a loaded regressor predicts only; train with a run")


def _of_encoder(run: "RunFolder") -> dict[str, Any]:
    try:
        told: dict[str, Any] = run.manifest["model"]["encoder"]
    except KeyError as error:
        raise ModelError(f"{run.folder}/manifest.json: says nothing of the run's encoder (no {error})") from None
    return told


def _check_encoder(run: "RunFolder", found: Mapping[str, Any]) -> None:
    """Refuse another encoder than the run's: its vectors would mean something else to the head."""
    told = _of_encoder(run)
    for key in sorted({*told, *found} - set(_NOT_COMPARED)):
        if told.get(key) != found.get(key):
            raise ModelError(
                f"{run.label}: its encoder is not the one that the run used: {key} was {told.get(key)}, "
                f"{found['name_or_path']} has {found.get(key)}. Give the run's own checkpoint with --encoder, or run "
                "the cell again"
            )


def _head(path: Path, encoder: Any) -> Any:
    import torch

    from bias_lab.models.module import FrozenEncoderRegressor

    try:
        return FrozenEncoderRegressor.load_from_checkpoint(path, map_location="cpu", encoder=encoder, weights_only=True)
    except (OSError, RuntimeError, ValueError, KeyError, EOFError, torch.serialization.pickle.UnpicklingError) as error:
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(f"{path}: cannot be loaded ({first}); run the cell again") from error


def read_texts(path: Path, *, column: str | None = None) -> "pd.DataFrame":
    """The texts to score as a table: `text` for a text file, all columns of a CSV; the texts are in `column`.

    Raises DataError where the file cannot be read, or naming lines without a text; ConfigError for a column that is not
    there.
    """
    import pandas as pd

    if path.suffix.lower() in _TABLES or column:
        from bias_lab.corpora.csv_table import read_table

        _check_there(path)
        table = read_table(path, delimiter=_delimiter(path))
        at = table.find(column or "text", first=True)
        if at < 0:
            raise ConfigError(f"{path}: no column {column or 'text'!r}; {table.described()}. Name it with --column")
        # By number first, as two columns may have one name.
        frame = pd.DataFrame(dict(enumerate(table.cells)), dtype="str").set_axis(list(table.header), axis=1)
        texts, lines = table.cells[at], tuple(table.lines)
    else:
        texts = _lines(path)
        frame, lines = pd.DataFrame({"text": texts}, dtype="str"), tuple(range(1, len(texts) + 1))
    empty = [line for line, text in zip(lines, texts, strict=True) if not text.strip()]
    if empty or not texts:
        shown = ", ".join(map(str, empty[:5])) + (", ..." if len(empty) > 5 else "")  # noqa: PLR2004
        what = f"no text in line {shown}" if empty else "there is no text in it"
        raise DataError(f"{path}: {what}; every line needs a text, so that scores and lines go together")
    return frame


def _check_there(path: Path) -> None:
    if not path.is_file():
        raise DataError(f"{path}: there is no such file")


def _delimiter(path: Path) -> str:
    with path.open(encoding="utf-8-sig", errors="replace") as stream:
        return max((",", ";", "\t"), key=stream.readline().count)


def _lines(path: Path) -> list[str]:
    """The lines of a text file in UTF-8, with or without BOM; the end of the last one is no line of its own."""
    _check_there(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: cannot be read as UTF-8 ({error})") from error
    return text.removesuffix("\n").split("\n") if text else []


def score(frame: "pd.DataFrame", column: str, predict: Callable[[Sequence[str]], Any]) -> "pd.DataFrame":
    """A copy of the table with a column `score` at its end; ConfigError where it has one already."""
    import pandas as pd

    if "score" in frame.columns:
        raise ConfigError("the table has a column 'score' already; rename it first")
    position = list(frame.columns).index(column)
    return pd.concat([frame, pd.Series(predict(frame.iloc[:, position].tolist()), name="score")], axis=1)


def main(argv: Sequence[str] | None = None) -> int:
    """Score the texts; return 0 where it was done, 1 where it could not be."""
    parser = argparse.ArgumentParser(
        prog="python -m bias_lab.predict", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", metavar="RUN", type=Path, help="the folder of a finished run")
    parser.add_argument("texts", metavar="TEXTS", type=Path, help="a text file, or a CSV file")
    parser.add_argument("--column", metavar="NAME", help="the column with the texts of a CSV file (default: text)")
    parser.add_argument("--out", metavar="FILE", type=Path, help="write the CSV here (default: standard output)")
    parser.add_argument("--encoder", metavar="PATH", help="where the run's checkpoint is now, if it was moved")
    arguments = parser.parse_args(argv)
    return exit_code(lambda: _predict(arguments))


def _predict(arguments: argparse.Namespace) -> None:
    from bias_lab.run_folder import open_run

    run = open_run(arguments.run)
    frame = read_texts(arguments.texts.expanduser(), column=arguments.column)
    # Threads that wait by spinning make a job ten times slower as soon as another one shares its cores.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    regressor = load_regressor(run, encoder=arguments.encoder)
    scored = score(frame, arguments.column or "text", regressor.predict)
    if arguments.out is None:
        scored.to_csv(sys.stdout, index=False, lineterminator="\n")
        return
    from bias_lab.files import write_atomic

    try:
        write_atomic(
            arguments.out.expanduser(),
            lambda part: scored.to_csv(part, index=False, lineterminator="\n", encoding="utf-8"),
        )
    except OSError as error:
        raise DataError(f"--out {arguments.out}: cannot be written ({error.strerror or error})") from error
    print(f"{len(scored):,} texts scored by {run.label}: {arguments.out}")


if __name__ == "__main__":
    sys.exit(main())

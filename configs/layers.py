"""Layers of YAML: each file names the one that it extends, and says what differs."""

import json
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

MOST_WRITTEN = 4 << 20
"""Characters of a file of YAML as JSON: eight levels of nine aliases are gigabytes."""
MOST_KEYS = 1 << 16
"""Of one mapping, with those that it merges: six levels of `<<` of ten are millions."""
_MERGE = "tag:yaml.org,2002:merge"


class ConfigError(ValueError):
    """A preset or override that cannot be used; names the key's full path and what is allowed."""


def read_layers(source: str, folder: Path) -> dict[str, Any]:
    """Read a name of a folder, or a YAML file by path, over the layers that it extends.

    Raises:
        ConfigError: A file is missing or not a mapping, or layers run in a circle.
    """
    path = find_file(source, folder)
    seen: list[Path] = []
    layers: list[dict[str, Any]] = []
    below: Path | None = path
    while below is not None:
        if below.resolve() in seen:
            raise ConfigError(f"{path}: 'extends' runs in a circle through {below}")
        seen.append(below.resolve())
        values = _read_mapping(below)
        parent = values.pop("extends", None)
        layers.append(values)
        below = _find_parent(str(parent), child=below, folder=folder) if parent else None
    merged: dict[str, Any] = {}
    for layer in reversed(layers):
        merged = lay_over(merged, layer)
    return merged


def find_file(source: str, folder: Path) -> Path:
    """Return the file of a name that ships in a folder, or of a path."""
    path = Path(source) if source.endswith((".yaml", ".yml")) else folder / f"{source}.yaml"
    if not path.is_file():
        kind, names = folder.name.removesuffix("s"), names_in(folder)
        close = get_close_matches(source, names, n=2, cutoff=0.5)
        meant = f"did you mean {' or '.join(close)}? {kind}s" if close else f"{kind}s"
        raise ConfigError(
            f"No {kind} or file {source!r}; {meant} are {', '.join(names)}, files end in .yaml"
        )
    return path


def names_in(folder: Path) -> list[str]:
    """Return the names that ship in a folder, layers excluded."""
    return sorted(p.stem for p in folder.glob("*.yaml") if not p.stem.startswith("_"))


def _find_parent(name: str, *, child: Path, folder: Path) -> Path:
    sibling = child.parent / name
    return (
        sibling
        if name.endswith((".yaml", ".yml")) and sibling.is_file()
        else find_file(name, folder)
    )


def _read_mapping(path: Path) -> dict[str, Any]:
    try:
        values = read_yaml(path.read_text(encoding="utf-8"))
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not YAML in UTF-8: {error}") from None
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: expected keys and values, found {type(values).__name__}")
    return values


def read_yaml(text: str) -> Any:
    """Read YAML whose values job.json can hold.

    Raises:
        YAMLError: It is no YAML.
        ConfigError: A key is there twice, or a mapping merges too many.
        ValueError: job.json could not hold it.
        RecursionError: It is nested too deep.
    """
    value = yaml.load(text, _Loader)  # noqa: S506 - it is a SafeLoader
    left = MOST_WRITTEN
    for piece in json.JSONEncoder(default=str, skipkeys=True).iterencode(value):
        left -= len(piece)
        if left < 0:
            raise ValueError(f"it has more than {MOST_WRITTEN} characters, its aliases written out")
    return value


class _Loader(yaml.SafeLoader):
    """Takes no key twice, of which only the last would count, and merges no millions of keys."""

    def compose_mapping_node(self, anchor: Any) -> yaml.MappingNode:
        """Compose one as it is written, before anything is merged into it."""
        node = super().compose_mapping_node(anchor)
        seen: dict[tuple[str, str], yaml.Node] = {}
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != _MERGE:
                before = seen.setdefault((key.tag, key.value), key)
                if before is not key:
                    lines = f"lines {before.start_mark.line + 1} and {key.start_mark.line + 1}"
                    raise ConfigError(f"{key.value!r} is there twice, in {lines}")
        return node

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        super().flatten_mapping(node)
        if len(node.value) > MOST_KEYS:
            raise ConfigError(f"a mapping has more than {MOST_KEYS} keys, merged ones among them")


def merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return all keys of both, nested ones too; where both have a value, the one above."""
    merged = dict(below)
    for key, value in above.items():
        base = merged.get(key)
        if isinstance(base, Mapping) and isinstance(value, Mapping):
            value = merge(base, value)
        merged[key] = value
    return merged


def lay_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two layers; `overrides` of the one below go with the net whose keys they are."""
    return merge(_without_strays(below, above), above)


def _without_strays(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return the layer below without `overrides` of a net that the one above replaces."""
    kept = {
        key: _without_strays(value, above[key])
        if isinstance(value, Mapping) and isinstance(above.get(key), Mapping)
        else value
        for key, value in below.items()
    }
    if "net" in above and above["net"] != below.get("net"):
        kept.pop("overrides", None)
    return kept

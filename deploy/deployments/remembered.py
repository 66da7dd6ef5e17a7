"""The projects that were applied on this machine, kept in a file of its home."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from configs.presets import ConfigError, load_project
from deploy.deployments.declaration import Declaration
from deploy.deployments.project import declare_project
from deploy.deployments.singles import SINGLES
from ocr.errors import BadData
from ocr.store.whole import written_whole

FILE = "deployments.json"


def read_remembered(home: Path) -> list[str]:
    """Return the presets and YAML files that were applied, oldest first.

    Raises:
        BadData: The file that names them is damaged.
    """
    path = home / FILE
    if not path.exists():
        return []
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return [str(source) for source in said["projects"]]
    except (ValueError, KeyError, TypeError) as error:
        raise BadData(f"{path} is damaged: {error!r}; remove it, and apply each project") from None


def remember(home: Path, sources: Iterable[str]) -> None:
    """Keep the presets and YAML files that were applied."""
    with written_whole(home / FILE) as file:
        file.write(json.dumps({"projects": list(sources)}, indent=1).encode())


def name_sources(home: Path, given: Sequence[str]) -> list[str]:
    """Return what was applied before and what is given, each once, YAML files by full path.

    A file that was applied before and is gone is none of them.
    """
    named = [str(Path(each).resolve()) if _is_file(each) else each for each in given]
    known = [each for each in read_remembered(home) if not _is_file(each) or Path(each).exists()]
    return list(dict.fromkeys([*known, *named]))


def declare_all(sources: Sequence[str]) -> list[Declaration]:
    """Return all deployments that there are to be: of every machine, and of these projects.

    Raises:
        ConfigError: A project cannot be read, or two have one name.
    """
    owners: dict[str, str] = {}
    declared = list(SINGLES)
    for source in sources:
        project = load_project(source)
        other = owners.setdefault(project.params.name, source)
        if other != source:
            raise ConfigError(f"name: {project.params.name!r} is of {other} and of {source}")
        declared += declare_project(project)
    return declared


def _is_file(source: str) -> bool:
    return source.endswith((".yaml", ".yml"))

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
EVERY_MACHINE = "every machine"


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


def declare_all(sources: Sequence[str]) -> dict[str, list[Declaration]]:
    """Return all deployments that there are to be, by the project that says so.

    Those of every machine are of EVERY_MACHINE.

    Raises:
        ConfigError: A project cannot be read, or two have one name, of themselves or a deployment.
    """
    declared = {EVERY_MACHINE: list(SINGLES)}
    owners: dict[str, str] = {}
    for source in sources:
        project = load_project(source)
        _own(owners, f"name: {project.params.name!r}", source)
        declared[source] = list(declare_project(project))
    for source, deployments in declared.items():
        for each in deployments:
            _own(owners, f"the deployment {each.full_name}", source)
    return declared


def _own(owners: dict[str, str], thing: str, source: str) -> None:
    other = owners.setdefault(thing, source)
    if other != source:
        raise ConfigError(f"{thing} is of {other} and of {source}; give the project another name")


def _is_file(source: str) -> bool:
    return source.endswith((".yaml", ".yml"))

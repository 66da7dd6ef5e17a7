"""The projects that were applied on this machine, kept in a file of its home."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from configs.presets import ConfigError, load_project
from deploy.deployments.declaration import Declaration
from deploy.deployments.project import declare_project
from deploy.deployments.singles import SINGLES
from ocr.errors import BadData
from ocr.store.whole import written_whole

FILE = "deployments.json"
EVERY_MACHINE = "every machine"

Names = Mapping[str, Sequence[str]]
"""The presets and YAML files that were applied, oldest first, and the deployments of each."""


def read_remembered(home: Path) -> Names:
    """Return what was applied.

    Raises:
        BadData: The file that names it is damaged.
    """
    path = home / FILE
    if not path.exists():
        return {}
    try:
        said = json.loads(path.read_text(encoding="utf-8"))["projects"]
        if isinstance(said, list):  # as releases wrote it that did not know which were of whom
            return {str(source): [] for source in said}
        return {source: [str(name) for name in names] for source, names in said.items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadData(f"{path} is damaged: {error!r}; remove it, and apply each project") from None


def remember(home: Path, names: Names) -> None:
    """Keep what was applied."""
    with written_whole(home / FILE) as file:
        file.write(json.dumps({"projects": names}, indent=1).encode())


def find_gone(remembered: Names) -> list[str]:
    """Return the files that were applied before and are gone, or out of reach."""
    return [each for each in remembered if _is_file(each) and not _is_there(each)]


def name_sources(remembered: Names, given: Sequence[str]) -> list[str]:
    """Return what was applied before and is there, and what is given, each once.

    YAML files are named by full path.
    """
    named = [str(Path(each).resolve()) if _is_file(each) else each for each in given]
    missing = {EVERY_MACHINE, *find_gone(remembered)}
    return list(dict.fromkeys([*(each for each in remembered if each not in missing), *named]))


def declare_all(sources: Sequence[str]) -> dict[str, list[Declaration]]:
    """Return all deployments that there are to be, by the project that says so.

    Those of every machine are of EVERY_MACHINE.

    Raises:
        ConfigError: A project cannot be read, or two have one name, of themselves or a deployment.
    """
    declared = {EVERY_MACHINE: list(SINGLES)}
    owners: dict[str, str] = {}
    for source in sources:
        try:
            project = load_project(source)
        except ConfigError as error:
            raise ConfigError(f"{source}: {error}") from None
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


def _is_there(file: str) -> bool:
    try:
        return Path(file).is_file()
    except OSError:  # of a share that is away, or of a folder that is not ours
        return False

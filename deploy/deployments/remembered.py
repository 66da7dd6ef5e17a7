"""The projects that were applied on this machine, and what they declare by now."""

from collections.abc import Sequence
from pathlib import Path

from configs.presets import ConfigError, load_project
from deploy.deployments.declaration import Declaration
from deploy.deployments.memory import Names
from deploy.deployments.project import declare_project
from deploy.deployments.singles import SINGLES

EVERY_MACHINE = "every machine"


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


def declare_all(
    sources: Sequence[str],
) -> tuple[dict[str, list[Declaration]], dict[str, str]]:
    """Return all deployments that there are to be, by project, and why others are refused.

    Those of every machine are of EVERY_MACHINE. A project is refused that cannot be read, or that
    has the name of one before it, or of a deployment of such a one.
    """
    declared = {EVERY_MACHINE: list(SINGLES)}
    owners = {_name(each): EVERY_MACHINE for each in SINGLES}
    refused: dict[str, str] = {}
    for source in sources:
        try:
            project = load_project(source)
            deployments = list(declare_project(project))
        except ConfigError as error:
            said = str(error)
            refused[source] = said if said.startswith(f"{source}:") else f"{source}: {said}"
            continue
        things = [f"name: {project.params.name!r}", *map(_name, deployments)]
        if taken := [thing for thing in things if thing in owners]:
            said = f"{taken[0]} is of {owners[taken[0]]} and of {source}"
            refused[source] = f"{said}; give the project another name"
            continue
        owners |= dict.fromkeys(things, source)
        declared[source] = deployments
    return declared, refused


def _name(deployment: Declaration) -> str:
    return f"the deployment {deployment.full_name}"


def _is_file(source: str) -> bool:
    return source.endswith((".yaml", ".yml"))


def _is_there(file: str) -> bool:
    try:
        return Path(file).is_file()
    except OSError:  # of a share that is away, or of a folder that is not ours
        return False

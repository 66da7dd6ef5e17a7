"""What an apply would do, deployment by deployment and field by field."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from deploy.deployments.facts import Facts

What = Literal["created", "changed", "unchanged", "no longer declared"]


@dataclass(frozen=True)
class FieldChange:
    """One field of a deployment; empty: it has none."""

    name: str
    old: str
    new: str


@dataclass(frozen=True)
class Change:
    """What becomes of one deployment.

    Attributes:
        name: Its full name.
        what: In a word.
        fields: Those that change; of a changed one.
        notes: What a person did to it in the UI, and which stays.
    """

    name: str
    what: What
    fields: tuple[FieldChange, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Found:
    """A deployment of the server.

    Attributes:
        facts: What it is.
        notes: What a person did to it in the UI.
        is_retired: Whether an apply found it no longer declared, and paused it.
    """

    facts: Facts
    notes: tuple[str, ...] = ()
    is_retired: bool = False


def compare(
    declared: Mapping[str, Facts], found: Mapping[str, Found], applied: Container[str]
) -> list[Change]:
    """Return what becomes of every deployment, declared ones first.

    Args:
        declared: Those that there are to be.
        found: Those that there are.
        applied: Names of those that this machine applied before; it retires no others.
    """
    changes = [_compare_one(name, facts, found.get(name)) for name, facts in declared.items()]
    for name, there in found.items():
        if name not in declared and there.is_retired:
            changes.append(Change(name, "unchanged", notes=there.notes))
        elif name not in declared and name in applied:
            changes.append(Change(name, "no longer declared"))
    return changes


def differing(changes: Sequence[Change]) -> list[Change]:
    """Return the changes that an apply makes."""
    return [change for change in changes if change.what != "unchanged"]


def _compare_one(name: str, facts: Facts, found: Found | None) -> Change:
    if found is None:
        return Change(name, "created")
    old = found.facts
    fields = tuple(
        FieldChange(key, old.get(key, ""), facts.get(key, ""))
        for key in dict.fromkeys([*facts, *old])
        if old.get(key) != facts.get(key)
    )
    return Change(name, "changed" if fields else "unchanged", fields, found.notes)

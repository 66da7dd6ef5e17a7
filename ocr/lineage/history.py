"""All versions of a model, one after another, and the trend of their metrics."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from ocr.evaluation.bootstrap import Interval
from ocr.gate.approval import Answer, read_answers
from ocr.lineage.decision import KeptDecision, name_test_set, read_decisions
from ocr.lineage.evaluations import read_report
from ocr.models.alias import Promotion
from ocr.models.registry import Registry

DECIDING = ("e2e_hmean", "accuracy")
"""The metric of pages, and that of lines, by which the gate decides."""

Fate = Literal[
    "champion",
    "was champion",
    "rolled back",
    "undone",
    "refused",
    "held",
    "accepted",
    "rejected",
    "not approved",
]


@dataclass(frozen=True)
class Measured:
    """What a version read of a test set, which `decision.name_test_set` names."""

    test_set: str
    samples: int
    metrics: Mapping[str, Interval]


NOTHING = Measured("", 0, {})


@dataclass(frozen=True)
class VersionRow:
    """One version and what became of it.

    Attributes:
        version: Its number; `created` as ISO 8601, empty where it is not in the store any more.
        fate: In one word; None: it was never judged, or nobody knows any more.
        at: When that was decided; `why` in a sentence.
        measured: As candidate, the newest first, then as opponent of later ones.
        decisions: Of the gate, oldest first; `moves` of the champion alias.
    """

    version: str
    created: str
    fate: Fate | None
    at: str
    why: str
    measured: tuple[Measured, ...]
    decisions: tuple[KeptDecision, ...]
    moves: tuple[Promotion, ...]

    def on(self, test_set: str) -> Measured:
        """Return what it read of a test set; NOTHING: it did not, or nobody knows any more."""
        return next((each for each in self.measured if each.test_set == test_set), NOTHING)

    @property
    def own(self) -> Measured:
        """What it was last judged by."""
        return next(iter(self.measured), NOTHING)


@dataclass(frozen=True)
class History:
    """The versions of a model, oldest first.

    Attributes:
        name: Of the model.
        rows: Its versions.
        test_set: The one that most versions read: the frozen one, where there is one.
    """

    name: str
    rows: tuple[VersionRow, ...]
    test_set: str

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of all metrics, the one that decides first."""
        names = dict.fromkeys(n for row in self.rows for each in row.measured for n in each.metrics)
        return tuple(sorted(names, key=lambda name: name not in DECIDING))

    @property
    def samples(self) -> int:
        """Of the test set."""
        return max((row.on(self.test_set).samples for row in self.rows), default=0)

    def trend(self, metric: str) -> list[tuple[str, Interval | None]]:
        """Return a metric by version; None where a version read other samples."""
        return [(row.version, row.on(self.test_set).metrics.get(metric)) for row in self.rows]


def read_history(registry: Registry, name: str) -> History:
    """Read what became of every version of a model.

    Raises:
        ArtifactNotFound: There is no such model.
        BadData: What the store says of it is damaged.
    """
    versions, facts = registry.versions(name), _Facts(registry, name)
    if not versions and not facts.decisions:
        registry.resolve(name)  # says what there is
    every = dict.fromkeys([*versions, *(each.version for each in facts.decisions)])
    described = (facts.describe(version, is_there=version in versions) for version in every)
    rows = tuple(sorted(described, key=lambda row: row.created or row.at))
    readers = Counter(each for row in rows for each in {one.test_set for one in row.measured})
    newest = {each.test_set: at for at, row in enumerate(rows) for each in row.measured}
    most_read = max(readers, key=lambda each: (readers[each], newest[each]), default="")
    return History(name, rows, most_read)


class _Facts:
    """What the store says of a model, read once."""

    def __init__(self, registry: Registry, name: str) -> None:
        self._registry = registry
        self._name = name
        self.decisions = read_decisions(registry.store, name)
        self._moves = registry.history(name)
        champion = registry.champion(name)
        self._champion = champion.version if champion else ""
        known = {decision.evaluation for decision in self.decisions}
        asked = dict.fromkeys(move.evaluation for move in self._moves)
        reports = (read_report(registry.store, key) for key in asked if key not in known)
        self._reports = [report for report in reports if report]  # of earlier releases

    def describe(self, version: str, *, is_there: bool) -> VersionRow:
        decisions = [each for each in self.decisions if each.version == version]
        moves = [move for move in self._moves if version in (move.version, move.previous)]
        last = decisions[-1:]  # an answer to an earlier comparison says nothing of this one
        answers = [a for e in last for a in read_answers(self._registry.store, e.evaluation)]
        fate, at, why = _find_fate(
            version, decisions, moves, answers, is_champion=version == self._champion
        )
        return VersionRow(
            version=version,
            created=self._registry.version(self._name, version).created if is_there else "",
            fate=fate,
            at=at,
            why=why or self._say_whole(version),
            measured=tuple(self._measured(f"{self._name}:{version}")),
            decisions=tuple(decisions),
            moves=tuple(moves),
        )

    def _measured(self, reference: str) -> Iterator[Measured]:
        judged = list(reversed(self.decisions))
        for each in judged:
            if f"{each.model}:{each.version}" == reference:
                yield Measured(each.test_set, each.samples, each.metrics)
        for report in self._reports:
            if report.candidate.name == reference:
                yield Measured(*name_test_set(report), report.candidate.intervals)
        for each in judged:
            if each.opponent == reference:
                yield Measured(each.test_set, each.samples, each.opponent_metrics)
        for report in self._reports:
            if report.opponent and report.opponent.name == reference:
                yield Measured(*name_test_set(report), report.opponent.intervals)

    def _say_whole(self, version: str) -> str:
        wholes = self._wholes.get(f"{self._name}:{version}", ())
        return f"judged as a part of {', '.join(wholes)}" if wholes else ""

    @cached_property
    def _wholes(self) -> Mapping[str, Sequence[str]]:
        """Pipelines by the references of their parts."""
        wholes: dict[str, list[str]] = {}
        for name in self._registry.names():
            for version in self._registry.versions(name):
                whole = self._registry.version(name, version)
                for part in whole.parts.values():
                    wholes.setdefault(part, []).append(whole.reference)
        return wholes


def _find_fate(
    version: str,
    decisions: Sequence[KeptDecision],
    moves: Sequence[Promotion],
    answers: Sequence[Answer],
    *,
    is_champion: bool,
) -> tuple[Fate | None, str, str]:
    came = [move for move in moves if move.version == version]
    left = [move for move in moves if move.previous == version]
    if is_champion:
        return "champion", came[-1].at, _say_coming(came[-1])
    if left:
        last = left[-1]
        if last.action == "rollback":
            return "rolled back", last.at, last.reason
        if last.action == "undo":
            return "undone", last.at, last.reason
        if came:
            return "was champion", came[-1].at, _say_coming(came[-1])
        return "was champion", last.at, ""
    if answers and not answers[-1].is_yes and decisions[-1].verdict == "promote":
        answer = answers[-1]
        fate: Fate = "rejected" if answer.choice == "reject" else "not approved"
        return fate, answer.at, answer.describe()
    if decisions:
        fates: dict[str, Fate] = {"block": "refused", "hold": "held", "promote": "accepted"}
        last_said = decisions[-1]
        return fates[last_said.verdict], last_said.at, next(iter(last_said.reasons), "")
    return None, "", ""


def _say_coming(move: Promotion) -> str:
    """Say why a version came; the reason to bring it back speaks of the other version."""
    back = "" if move.action == "promote" else f"brought back from {move.previous}: "
    return f"{back}{move.reason}"

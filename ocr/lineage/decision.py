"""What the gate said of a version, kept for good; refused versions would leave no trace else."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from pydantic import TypeAdapter, ValidationError

from ocr.errors import ArtifactExists, BadData
from ocr.evaluation.bootstrap import Interval
from ocr.evaluation.lines.report import LinesReport
from ocr.evaluation.pages.report import PagesReport
from ocr.gate.approval import read_answers
from ocr.gate.checks import Verdict
from ocr.models.alias import after
from ocr.store.protocol import Store

FORMAT = 1


@dataclass(frozen=True)
class KeptDecision:
    """One answer of the gate, by `decisions/<model>/<version>/` in the store.

    Attributes:
        model: The candidate's name, with its `version`.
        at: When, ISO 8601.
        verdict: As `ocr.gate.judge.Decision` has it, like `reasons`.
        opponent: Whom it was measured beside; empty: nobody. `champion`: the version that was it.
        dataset: Key of the snapshot whose test split was read.
        test_set: Names that split by what is in it, with the number of its `samples`.
        metrics: Of the candidate, by name; `opponent_metrics`: of the opponent, if it read it too.
        latency_ms: Median of an image read alone.
        evaluation: Key of what was read; `report`: of the page that a person reads.
    """

    model: str
    version: str
    at: str
    verdict: Verdict
    reasons: tuple[str, ...]
    opponent: str
    champion: str
    dataset: str
    test_set: str
    samples: int
    metrics: Mapping[str, Interval]
    opponent_metrics: Mapping[str, Interval]
    latency_ms: float
    evaluation: str
    report: str
    format: int = FORMAT


_ADAPTER = TypeAdapter(KeptDecision)


def keep_decision(store: Store, decision: KeptDecision) -> str:
    """Keep a decision, once where the last one on the version was the same; return its key.

    It is the last one from now on, also where the clock was set back since the one before.

    Raises:
        BadData: An earlier decision is damaged, or of a later release.
    """
    folder = f"decisions/{decision.model}/{decision.version}"
    known = _read(store, folder)
    last = max(known, key=lambda key: known[key].at, default="")
    if last and _bare(known[last]) == _bare(decision):
        return last
    if last:
        decision = replace(decision, at=after(known[last].at, decision.at))
    what = json.dumps(asdict(decision), sort_keys=True)
    key = f"{folder}/{hashlib.sha256(what.encode()).hexdigest()}.json"
    with suppress(ArtifactExists):  # a task that was tried again
        store.put_bytes(key, _ADAPTER.dump_json(decision, indent=1))
    return key


def _bare(decision: KeptDecision) -> KeptDecision:
    """Leave out what is measured and drawn at each time."""
    return replace(decision, at="", latency_ms=0.0, report="")


def read_decisions(store: Store, model: str) -> list[KeptDecision]:
    """Read what was decided on the versions of a model, oldest first.

    Raises:
        BadData: A decision is damaged, or of a later release.
    """
    found = _read(store, f"decisions/{model}").values()
    return sorted(found, key=lambda decision: decision.at)


def count_judged(
    store: Store, report: LinesReport | PagesReport, *, model: str, version: str
) -> int | None:
    """Count the other versions of a model that were judged on the very samples of a report.

    Returns:
        Their number; None: a kept decision is damaged, or of a later release.
    """
    test_set, _ = name_test_set(report)
    try:
        decisions = read_decisions(store, model)
    except BadData:
        return None
    return len({each.version for each in decisions if each.test_set == test_set} - {version})


def was_rejected(store: Store, decision: KeptDecision) -> bool:
    """Say whether a person who was asked about it said no, and nobody yes since."""
    answers = read_answers(store, decision.evaluation)
    said = [answer.choice for answer in answers if answer.choice != "time-out"]
    return said[-1:] == ["reject"]


def name_test_set(report: LinesReport | PagesReport) -> tuple[str, int]:
    """Name the samples of an evaluation by what they are labelled, and count them."""
    digest = hashlib.sha256()
    labelled = sorted(_labelled(report))
    for each in labelled:
        digest.update(f"{each}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest(), len(labelled)


def _labelled(report: LinesReport | PagesReport) -> Iterator[str]:
    if isinstance(report, LinesReport):
        yield from (json.dumps([line.id, line.group, line.text]) for line in report.lines)
        return
    for page in report.pages:
        yield json.dumps([page.id, page.group, [asdict(region) for region in page.regions]])


def _read(store: Store, folder: str) -> dict[str, KeptDecision]:
    found = {}
    for key in store.list(folder):
        try:
            found[key] = _ADAPTER.validate_json(store.read_bytes(key))
        except ValidationError as error:
            raise BadData(f"{store.uri}/{key} is no decision: {error.errors()[0]['msg']}") from None
    return found

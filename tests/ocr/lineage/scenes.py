"""A store with versions of a model, and what is known of each."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.snapshot.snapshot import TABLES
from ocr.dataset.split import SplitRule
from ocr.evaluation.lines.report import LinesReport
from ocr.gate.checks import Verdict
from ocr.image.pixels import encode_png
from ocr.lineage.decision import KeptDecision, keep_decision, name_test_set
from ocr.models.registry import Registry
from ocr.store import open_store
from ocr.store.folder import download_folder
from tests.ocr.dataset.rules import LINE_LIMITS
from tests.ocr.evaluation.lines.scenes import ScriptedRecogniser, evaluate_scripted, lines
from tests.toy_bundle import draw, write_toy_bundle

NAME = "toy"
CHECKPOINT = "checkpoints/c0/0"
RESULT = {
    "metrics": {"accuracy": 0.97},
    "timings": {"train_s": 41.5},
    "environment": {"code": "abc", "python": "3.11.7", "paddle": "3.3.1", "device": "1 x cpu"},
}
FROZEN = tuple(f"{number:04}" for number in range(60))
OTHERS = tuple(f"X{number:03}" for number in range(40))


@dataclass(frozen=True)
class Told:
    """A store and its registry, on disk under `folder`."""

    folder: Path

    @property
    def registry(self) -> Registry:
        return Registry(open_store(str(self.folder / "store")))

    def copy_tables(self, key: str) -> Path:
        target = self.folder / "copies" / Path(key).name
        return download_folder(self.registry.store, prefix=key, folder=target, only=TABLES)

    def prepare(self, labels: dict[str, str], *, bad_rows: int = 0, seed: int = 0) -> SnapshotRef:
        """Store a snapshot of images, named by what is drawn on them, and their texts."""
        root = self.folder / "images"
        root.mkdir(exist_ok=True)
        for drawn in labels:
            (root / f"{drawn}.png").write_bytes(encode_png(draw(drawn)))
        rows = [f"{drawn}.png\t{text}\n" for drawn, text in labels.items()]
        rows += [f"gone{number}.png\tA\n" for number in range(bad_rows)]
        (root / "labels.txt").write_text("".join(rows), encoding="utf-8")
        return prepare_lines(
            self.registry.store,
            name=NAME,
            labels=LineLabelFiles(kind="paddleocr", root=root, train="labels.txt"),
            limits=replace(LINE_LIMITS, max_bad_share=0.5),
            split=SplitRule(val_share=0.2, test_share=0.3, seed=seed),
            near_duplicate_bits=0,
        )

    def add(self, version: str, **facts: Any) -> str:
        """Register a version; versions are as old as they are called."""
        bundle = write_toy_bundle(
            self.folder / "bundles" / version,
            name=NAME,
            version=version,
            created=f"2026-11-2{version[-1]}T00:00:00Z",
            **facts,
        )
        self.registry.register(NAME, version, bundle)
        return f"{NAME}:{version}"

    def keep_checkpoint(self) -> None:
        """Store what a training leaves."""
        store = self.registry.store
        store.put_bytes(f"{CHECKPOINT}/result.json", json.dumps(RESULT).encode())
        usage = {"took": {"memory_mib": 512.4}}
        store.put_bytes(f"{CHECKPOINT}/usage.json", json.dumps(usage).encode())

    def evaluate(
        self,
        version: str,
        every: int,
        *,
        beside: tuple[str, int] | None = None,
        texts: Sequence[str] = FROZEN,
    ) -> tuple[str, LinesReport]:
        """Store an evaluation, in which each version misreads every so many-th line."""
        report = evaluate_scripted(
            candidate=_misreading(every, version, texts),
            opponent=_misreading(beside[1], beside[0], texts) if beside else None,
            samples=lines(texts),
        )
        key = f"evaluations/{version}-{every}-{len(texts)}"
        self.registry.store.put_bytes(f"{key}/report.json", report.to_json())
        return key, report

    def judge(
        self,
        version: str,
        verdict: Verdict,
        every: int,
        *,
        beside: tuple[str, int] | None = None,
        texts: Sequence[str] = FROZEN,
        at: str = "2026-11-24T12:00:00+00:00",
    ) -> str:
        """Keep a decision on a version; return the key of its evaluation."""
        key, report = self.evaluate(version, every, beside=beside, texts=texts)
        test_set, samples = name_test_set(report)
        decision = KeptDecision(
            model=NAME,
            version=version,
            at=at,
            verdict=verdict,
            reasons=(f"It was told to {verdict}.",),
            opponent=f"{NAME}:{beside[0]}" if beside else "",
            champion=beside[0] if beside else "",
            dataset="datasets/toy/0",
            test_set=test_set,
            samples=samples,
            metrics=report.candidate.intervals,
            opponent_metrics=report.opponent.intervals if report.opponent else {},
            latency_ms=3.5,
            evaluation=key,
            report=f"reports/{version}/0.html",
        )
        keep_decision(self.registry.store, decision)
        return key


def _misreading(every: int, version: str, texts: Sequence[str]) -> ScriptedRecogniser:
    def answer(number: int) -> tuple[str, float]:
        return ("????", 0.4) if number % every == 0 else (texts[number], 0.9)

    return ScriptedRecogniser(name=f"{NAME}:{version}", answer=answer)

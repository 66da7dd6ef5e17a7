"""A store with all that there can be, and what prune says of each."""

import json
import time
from pathlib import Path
from typing import Any

from ocr.models.registry import Registry
from ocr.store import Store
from ocr.store.whole import sha256_of

BATCH, HALF_BATCH = (f"batches/march/{digit * 64}" for digit in "01")
OLD, NAMED, HALF, NEWEST, FURTHER = (f"datasets/plates/{digit * 64}" for digit in "01234")
REGISTERED = "registered"
CHAMPION = "is or was champion"

GOES = {
    OLD: "no version learned from it",
    HALF: "half an upload",
    "datasets/plates/refused/0": "bad rows of a refused set",
    "checkpoints/lost": "no version was exported from it",
    "checkpoints/half": "half an upload",
    "models/plates/half": "half an upload",
    HALF_BATCH: "half an upload",
    "batches/march/shards/0": "its files are read again if the batch grows",
    "evaluations/other": "no champion was judged by it",
    "reports/other/0.html": "no champion was judged by it",
}
STAYS = {
    NAMED: "a version learned from it",
    NEWEST: "the newest of its name",
    FURTHER: "a champion was judged by it",
    "datasets/plates/tests/0.parquet": "settings may freeze it",
    "datasets/plates/inputs/0.json": "finds a snapshot",
    "checkpoints/kept": "a version was exported from it",
    "checkpoints/tried": "a version was exported from it",
    "models/plates/first": CHAMPION,
    "models/plates/second": CHAMPION,
    "models/plates/tried": REGISTERED,
    "models/boxes/part": REGISTERED,
    "models/words/part": REGISTERED,
    "models/words/second": REGISTERED,
    "models/pages/both": CHAMPION,
    "models/plates/aliases/champion.json": "the registry",
    "models/pages/aliases/champion.json": "the registry",
    "evaluations/first": "a champion was judged by it",
    "evaluations/further": "a champion was judged by it",
    "reports/first/0.html": "a champion was judged by it",
    "evaluations/refused": "a champion was judged by it",
    "reports/refused/0.html": "a champion was judged by it",
    "reports/0.html": "does not say of which evaluation it is",
    "decisions/plates/second/0.json": "the history of its model",
    "decisions/plates/tried/0.json": "the history of its model",
    BATCH: "what files read; somebody may use it",
    "reports/other/approval-0.json": "a person said it",
    "reports/other/time-out-0.json": "a person said it",
    "rows/plates/newest.json": "says which rows are new",
    "smokes/0.json": "says what passed",
    "prunes/0.json": "says what was removed",
    "else/0.json": "nothing that ocrline stores today",
}
"""By prefix, why."""


def wait_for_the_next_second() -> None:
    """Let what is put from now on be later to S3, which tells seconds."""
    time.sleep(1.01 - time.time() % 1)


def fill(store: Store, folder: Path) -> None:
    """Put all of it into a store; versions are made under the folder."""
    for prefix in (OLD, NAMED, HALF, FURTHER, NEWEST):
        if prefix == NEWEST:
            wait_for_the_next_second()
        store.put_bytes(f"{prefix}/images/0.bin", b"images")
        if prefix != HALF:
            store.put_bytes(f"{prefix}/manifest.json", b"{}")
    for name in ("kept", "tried", "lost", "half"):
        store.put_bytes(f"checkpoints/{name}/0/model.npz", b"weights")
        if name != "half":
            store.put_bytes(f"checkpoints/{name}/published.json", b'{"prefix": "x"}')
    for key in (
        "datasets/plates/inputs/0.json",
        "datasets/plates/tests/0.parquet",
        "datasets/plates/refused/0/quarantine.csv",
        "models/plates/half/0/card.md",
        "evaluations/first/report.json",
        "evaluations/further/report.json",
        "evaluations/other/report.json",
        "evaluations/refused/report.json",
        "reports/first/0.html",
        "reports/other/0.html",
        "reports/refused/0.html",
        "reports/other/approval-0.json",
        "reports/other/time-out-0.json",
        "reports/0.html",
        "rows/plates/newest.json",
        "smokes/0.json",
        "prunes/0.json",
        "else/0.json",
        f"{BATCH}/0/lines.parquet",
        f"{BATCH}/published.json",
        f"{HALF_BATCH}/0/lines.parquet",
        "batches/march/shards/0/0/lines.parquet",
        "batches/march/shards/0/published.json",
    ):
        store.put_bytes(key, b"content")
    for version, read in (("second", "refused"), ("tried", "other")):
        decision = json.dumps({"evaluation": f"evaluations/{read}"}).encode()
        store.put_bytes(f"decisions/plates/{version}/0.json", decision)
    register(store, folder, "plates:first")
    register(store, folder, "plates:second")
    register(store, folder, "plates:tried", checkpoint="checkpoints/tried/0")
    register(store, folder, "boxes:part")
    register(store, folder, "words:part")
    register(store, folder, "words:second")
    parts = {"detector": "boxes:part", "recogniser": "words:part"}
    register(store, folder, "pages:both", **parts, second_recogniser="words:second")
    registry = Registry(store)
    registry.promote(
        "plates",
        "first",
        reason="better",
        evaluation="evaluations/first",
        judged_by=(FURTHER, "evaluations/further"),
    )
    registry.promote("plates", "second", reason="by hand")
    registry.promote("pages", "both", reason="by hand")


def register(
    store: Store,
    folder: Path,
    reference: str,
    *,
    checkpoint: str = "checkpoints/kept/0",
    **own: Any,
) -> None:
    """Register a version that learned from NAMED."""
    name, version = reference.split(":")
    bundle = folder / name / version
    bundle.mkdir(parents=True)
    (bundle / "card.md").write_text(reference)
    files = {"card.md": sha256_of(bundle / "card.md")}
    facts = {"name": name, "version": version, "dataset_digest": NAMED[-64:], "files": files}
    manifest = {**facts, "checkpoint": checkpoint, **own}
    (bundle / "manifest.json").write_text(json.dumps(manifest))
    Registry(store).register(name, version, bundle)

"""What tests of preparations share."""

import io
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.limits import LineLimits
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.lines.snapshot import LineSample, LineSnapshot, open_line_snapshot
from ocr.dataset.preparation import SnapshotRef
from ocr.dataset.snapshot.quarantine_list import QUARANTINE
from ocr.dataset.split import Split
from ocr.image.pixels import Image
from ocr.models.charset import Charset
from ocr.store import Store
from ocr.store.folder import download_folder
from tests.ocr.dataset.rules import LINE_LIMITS, NEAR_BITS, SPLIT

TRAIN = {f"train/{n:02}.png": f"T{n:03}" for n in range(20)}


VAL = {f"val/{n:02}.png": f"V{n:03}" for n in range(4)}


TEST = {f"test/{n:02}.png": f"E{n:03}" for n in range(4)}


LIMITS = replace(LINE_LIMITS, max_text_length=20, max_bad_share=0.5)


def prepare(
    store: Store,
    root: Path,
    *,
    limits: LineLimits = LIMITS,
    charset: Charset | None = None,
    labels: LineLabelFiles | None = None,
) -> SnapshotRef:
    files = labels or LineLabelFiles(
        "paddleocr", root, "rec_train.txt", "rec_val.txt", "rec_test.txt"
    )
    return prepare_lines(
        store,
        name="d",
        labels=files,
        limits=limits,
        split=SPLIT,
        near_duplicate_bits=NEAR_BITS,
        charset=charset,
    )


def fetch(store: Store, made: SnapshotRef, folder: Path) -> LineSnapshot:
    return open_line_snapshot(download_folder(store, prefix=made.key, folder=folder / made.digest))


def quarantine(store: Store, made: SnapshotRef) -> pa.Table:
    return pq.read_table(io.BytesIO(store.read_bytes(f"{made.key}/{QUARANTINE}")))


def splits_of(samples: Iterable[LineSample], name: Literal["text", "group"]) -> list[set[Split]]:
    """The splits that the samples of one text, or of one group, lie in."""
    found: dict[str, set[Split]] = {}
    for sample in samples:
        found.setdefault(getattr(sample, name), set()).add(sample.split)
    return list(found.values())


def add(root: Path, *lines: str, name: str = "rec_train.txt") -> None:
    with (root / name).open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def add_image(root: Path, data: bytes, text: str) -> None:
    (root / "bad.png").write_bytes(data)
    add(root, f"bad.png\t{text}")


def recompressed(image: Image) -> bytes:
    return cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])[1].tobytes()


def add_near_copy(root: Path, image: str, text: str) -> None:
    found = cv2.imread(str(root / image))
    assert found is not None
    (root / "near.jpg").write_bytes(recompressed(np.asarray(found, np.uint8)))
    add(root, f"near.jpg\t{text}")

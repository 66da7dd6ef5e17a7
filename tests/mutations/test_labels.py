"""Damaged label files: every row is accepted or quarantined, or one error says why none is."""

import csv
import io
import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.labels.files import LineLabelKind
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.labels.files import PageLabelKind
from ocr.dataset.preparation import SnapshotRef
from ocr.errors import OcrError
from ocr.store import Store, open_store
from tests.mutations.edits import damaged
from tests.ocr.dataset.lines.preparing import prepare as prepare_lines
from tests.ocr.dataset.pages.preparing import prepare as prepare_pages
from tests.ocr.dataset.pages.sheets import Entry, entry, write_page
from tests.ocr.image.pictures import write_labels

LINES: Final = {f"{n}.png": f"AB {n}" for n in range(6)}
LABELS = "labels.csv"  # of every format: only a table looks at it
PAGES: Final = {f"p{n}.png": [f"PAGE {n}", "SUM 1.00"] for n in range(4)}


def _paddleocr_lines() -> bytes:
    return "".join(f"{image}\t{text}\n" for image, text in LINES.items()).encode()


def _table() -> bytes:
    rows = "".join(f'{image},"{text}"\r\n' for image, text in LINES.items())
    return f"image,text\r\n{rows}".encode()


def _paddleocr_pages() -> bytes:
    rows = (f"{image}\t{json.dumps(_entries(texts))}" for image, texts in PAGES.items())
    return "\n".join(rows).encode()


def _labelstudio() -> bytes:
    tasks = [
        {
            "data": {"image": f"/data/upload/1/{image}"},
            "annotations": [{"result": [*_studio_regions(texts)]}],
        }
        for image, texts in PAGES.items()
    ]
    return json.dumps(tasks).encode()


def _coco() -> bytes:
    images = [
        {"id": number, "file_name": image, "width": 200, "height": 100}
        for number, image in enumerate(PAGES)
    ]
    annotations = [
        {"id": 10 * number + line, "image_id": number, "bbox": [8, 40 * line + 12, 172, 32]}
        | {"attributes": {"text": text}, "category_id": 1}
        for number, texts in enumerate(PAGES.values())
        for line, text in enumerate(texts)
    ]
    categories = [{"id": 1, "name": "text"}]
    document = {"images": images, "annotations": annotations, "categories": categories}
    return json.dumps(document).encode()


def _mmocr_lines() -> bytes:
    items = [{"img_path": image, "instances": [{"text": text}]} for image, text in LINES.items()]
    return json.dumps({"metainfo": {"dataset_type": "x"}, "data_list": items}).encode()


def _mmocr_json_lines() -> bytes:
    rows = ({"filename": image, "text": text} for image, text in LINES.items())
    return "\n".join(map(json.dumps, rows)).encode()


def _mmocr_pages() -> bytes:
    items = [
        {
            "img_path": image,
            "height": 100,
            "width": 200,
            "instances": [
                {
                    "polygon": list(chain.from_iterable(each["points"])),
                    "text": each["transcription"],
                    "ignore": False,
                }
                for each in _entries(texts)
            ],
        }
        for image, texts in PAGES.items()
    ]
    return json.dumps({"metainfo": {}, "data_list": items}).encode()


def _entries(texts: list[str]) -> list[Entry]:
    return [entry(text, line) for line, text in enumerate(texts)]


def _studio_regions(texts: list[str]) -> list[dict[str, object]]:
    place = {"x": 4, "width": 86, "height": 32, "rotation": 0}
    return [
        {
            "id": f"r{line}",
            "type": kind,
            "original_width": 200,
            "original_height": 100,
            "value": {**place, "y": 40 * line + 12, **more},
        }
        for line, text in enumerate(texts)
        for kind, more in (("rectangle", {}), ("textarea", {"text": [text]}))
    ]


@dataclass(frozen=True)
class Format:
    """One format of labels, and a good file of it."""

    content: bytes
    prepare: Callable[[Store, Path], SnapshotRef]
    rows: int
    name: str = LABELS


def _of_lines(kind: LineLabelKind, content: bytes, name: str = LABELS) -> Format:
    return Format(
        content,
        lambda store, root: prepare_lines(store, root, labels=LineLabelFiles(kind, root, name)),
        len(LINES),
        name,
    )


def _of_pages(kind: PageLabelKind, content: bytes) -> Format:
    return Format(
        content,
        lambda store, root: prepare_pages(store, root, labels=PageLabelFiles(kind, root, LABELS)),
        rows=len(PAGES),
    )


FORMATS: Final[Mapping[str, Format]] = {
    "lines": _of_lines("paddleocr", _paddleocr_lines()),
    "table": _of_lines("table", _table()),
    "mmocr": _of_lines("mmocr", _mmocr_lines()),
    "mmocr lines": _of_lines("mmocr", _mmocr_json_lines(), name="labels.jsonl"),
    "mmocr pages": _of_pages("mmocr", _mmocr_pages()),
    "pages": _of_pages("paddleocr", _paddleocr_pages()),
    "ppocrlabel": _of_pages("ppocrlabel", _paddleocr_pages()),
    "labelstudio": _of_pages("labelstudio", _labelstudio()),
    "coco": _of_pages("coco", _coco()),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("data")
    write_labels(root, "unused.txt", LINES)
    for image, texts in PAGES.items():
        write_page(root, image, texts)
    return root


@pytest.mark.parametrize("kind", FORMATS)
def test_undamaged_labels_are_accepted(root: Path, kind: str) -> None:
    made = _prepare(root, FORMATS[kind], FORMATS[kind].content)

    assert (made.counts["accepted"], made.counts["quarantined"]) == (FORMATS[kind].rows, 0)


@given(st.sampled_from(sorted(FORMATS)).flatmap(lambda kind: _damaged_of(kind)))
def test_damaged_labels_lose_no_row(root: Path, damage: tuple[str, bytes]) -> None:
    kind, labels = damage
    try:
        made = _prepare(root, FORMATS[kind], labels)
    except OcrError:
        return
    counts = made.counts
    assert counts["train"] + counts["val"] + counts["test"] == counts["accepted"]
    assert counts["accepted"] + counts["quarantined"] >= counts["rows"]
    assert counts["rows"] >= _count_written(kind, labels.decode("utf-8-sig"))


def _damaged_of(kind: str) -> st.SearchStrategy[tuple[str, bytes]]:
    return damaged([FORMATS[kind].content]).map(lambda labels: (kind, labels))


def _count_written(kind: str, labels: str) -> int:
    """Count the rows that a person sees in a label file."""
    if kind == "labelstudio":
        return len(json.loads(labels))
    if kind == "coco":
        return len(json.loads(labels)["images"])
    if kind in ("mmocr", "mmocr pages"):
        return len(json.loads(labels)["data_list"])
    if kind == "table":
        return sum(any(row) for row in list(csv.reader(io.StringIO(labels, newline="")))[1:])
    return sum(bool(row.strip()) for row in labels.split("\n"))


def _prepare(root: Path, form: Format, labels: bytes) -> SnapshotRef:
    (root / form.name).write_bytes(labels)
    with tempfile.TemporaryDirectory() as folder:
        return form.prepare(open_store(folder), root)

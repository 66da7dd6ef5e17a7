from pathlib import Path

import numpy as np
import pytest

from ocr.dataset.candidate import EncodedImage, Row
from ocr.dataset.examination import Finding, examine_rendered, examine_rows, open_rows
from ocr.dataset.lines.copies import line_hash
from ocr.dataset.lines.label import LineLabel, LineRow
from ocr.dataset.process_pool import ProcessPool
from ocr.dataset.quarantine import Rejection
from ocr.dataset.roots import FolderRoot
from ocr.dataset.spool import Spool
from ocr.image.pixels import encode_png
from tests.ocr.dataset.rules import LINE_LIMITS
from tests.ocr.image.documents import make_pdf
from tests.ocr.image.pictures import draw_text

NAMES = [f"{number:03}.png" for number in range(60)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    for number, name in enumerate(NAMES):
        good = encode_png(draw_text(f"T{number}"))
        (folder / name).write_bytes(good if number % 7 else good[:300])
    return folder


def examine(
    root: Path, spool: Path, *, processes: int, batch: int = 8
) -> tuple[list[Finding], list[bytes]]:
    spool.mkdir()
    rows = [Row(name, LineLabel("T"), None, "", "rec.txt", "rec.txt:1") for name in NAMES]
    with ProcessPool(processes) as pool:
        examined = examine_rows(
            rows,
            root=FolderRoot(root),
            limits=LINE_LIMITS,
            spool=Spool(spool),
            pool=pool,
            batch=batch,
            hash_image=line_hash,
        )
        found = [each[1] for each in examined if not isinstance(each, Rejection)]
    with Spool(spool).reading() as reader:
        kept = [reader.read(each.place) for each in found if isinstance(each, EncodedImage)]
    return found, kept


def test_findings_come_in_order_with_the_images_in_the_spool(root: Path, tmp_path: Path) -> None:
    found, kept = examine(root, tmp_path / "spool", processes=1)

    assert [isinstance(each, EncodedImage) for each in found] == [
        bool(number % 7) for number in range(len(NAMES))
    ]
    good = [name for number, name in enumerate(NAMES) if number % 7]
    assert kept == [(root / name).read_bytes() for name in good]


def test_several_processes_find_what_one_finds(root: Path, tmp_path: Path) -> None:
    one, kept_by_one = examine(root, tmp_path / "1", processes=1)
    three, kept_by_three = examine(root, tmp_path / "3", processes=3)

    def place_free(found: list[Finding]) -> list[object]:
        return [each[:5] if isinstance(each, EncodedImage) else each for each in found]

    assert place_free(one) == place_free(three)
    assert kept_by_one == kept_by_three


def test_rejected_rows_pass_between_the_examined_ones(root: Path, tmp_path: Path) -> None:
    (tmp_path / "spool").mkdir()
    bad = Rejection("malformed_row", "rec.txt:2", "", "", "why")
    rows = [Row(NAMES[n], LineLabel("T"), None, "", "rec.txt", f"rec.txt:{n}") for n in (1, 2, 3)]
    mixed: list[LineRow | Rejection] = [rows[0], bad, bad, *rows[1:]]

    examined = examine_rows(
        mixed,
        root=FolderRoot(root),
        limits=LINE_LIMITS,
        spool=Spool(tmp_path / "spool"),
        pool=ProcessPool(),
        batch=3,
        hash_image=line_hash,
    )

    assert [each if isinstance(each, Rejection) else each[0] for each in examined] == mixed


def test_pdf_is_rejected_with_the_way_to_images(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(make_pdf())
    rows = [Row("a.pdf", LineLabel("T"), None, "", "rec.txt", "rec.txt:1")]

    (found,) = open_rows(rows, root=FolderRoot(tmp_path), max_pixels=10**6)

    assert isinstance(found, Rejection)
    assert found.reason == "unreadable_image"
    assert "label images of its pages, as `ocrline annotate` writes them" in found.detail


@pytest.mark.parametrize(
    ("width", "height", "is_good"), [(8, 8, True), (7, 50, False), (50, 7, False)]
)
def test_smallest_side_counts(width: int, height: int, is_good: bool, tmp_path: Path) -> None:
    image = np.zeros((height, width, 3), np.uint8)

    with Spool(tmp_path).appending() as file:
        found = examine_rendered(image, limits=LINE_LIMITS, file=file, hash_image=line_hash)

    assert isinstance(found, EncodedImage) == is_good

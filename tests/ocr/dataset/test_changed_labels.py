"""Labels that change while they are read: what comes of them is kept for nobody."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ocr.dataset.lines.label import LineRow
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.quarantine import Rejection
from ocr.errors import BadData
from ocr.store import open_store
from tests.ocr.dataset.lines.preparing import prepare
from tests.ocr.image.pictures import write_labels

LABELS = "rec_train.txt"


class CorrectedMeanwhile(LineLabelFiles):
    """Label files that somebody corrects right after they were surveyed."""

    def read(self) -> Iterator[LineRow | Rejection]:
        yield from super().read()
        assert isinstance(self.root, Path)
        labels = self.root / LABELS
        labels.write_text(labels.read_text("utf-8").replace("\tT", "\tX"), encoding="utf-8")


def test_labels_that_change_while_they_are_read_are_refused(tmp_path: Path) -> None:
    root, store = tmp_path / "data", open_store(str(tmp_path / "store"))
    write_labels(root, LABELS, {f"{n:02}.png": f"T{n:03}" for n in range(40)})

    with pytest.raises(BadData, match=r"the label files in .* changed while they were read"):
        prepare(store, root, labels=CorrectedMeanwhile("paddleocr", root, LABELS))

    assert list(store.list("datasets")) == []

from pathlib import Path

import pytest

from tests.ocr.dataset.lines.preparing import TEST, TRAIN, VAL
from tests.ocr.image.pictures import write_labels


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    write_labels(folder, "rec_train.txt", TRAIN)
    write_labels(folder, "rec_val.txt", VAL)
    write_labels(folder, "rec_test.txt", TEST)
    return folder

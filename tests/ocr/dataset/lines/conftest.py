from pathlib import Path

import pytest

from ocr.store import Store, open_store
from tests.ocr.dataset.lines.preparing import TEST, TRAIN, VAL
from tests.ocr.image.pictures import write_labels


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    write_labels(folder, "rec_train.txt", TRAIN)
    write_labels(folder, "rec_val.txt", VAL)
    write_labels(folder, "rec_test.txt", TEST)
    return folder

from pathlib import Path

import pytest

from ocr.store import Store, open_store
from tests.ocr.dataset.pages.preparing import TEST, TRAIN, VAL
from tests.ocr.dataset.pages.sheets import write_pages


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "store"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    write_pages(folder, "det_train.txt", TRAIN)
    write_pages(folder, "det_val.txt", VAL)
    write_pages(folder, "det_test.txt", TEST)
    return folder

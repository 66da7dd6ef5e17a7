from pathlib import Path

import pytest

from tests.ocr.dataset.pages.preparing import TEST, TRAIN, VAL
from tests.ocr.dataset.pages.sheets import write_pages


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    write_pages(folder, "det_train.txt", TRAIN)
    write_pages(folder, "det_val.txt", VAL)
    write_pages(folder, "det_test.txt", TEST)
    return folder

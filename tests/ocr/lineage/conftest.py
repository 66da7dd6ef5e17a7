from pathlib import Path

import pytest

from tests.ocr.lineage.scenes import Told


@pytest.fixture
def told(tmp_path: Path) -> Told:
    return Told(tmp_path)

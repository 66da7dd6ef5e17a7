from pathlib import Path

import numpy as np
import pytest

from ocr.errors import BadInput
from ocr.reading.baselines import StockPaddleRecogniser

ROOT = Path(__file__).resolve().parents[4]
IMAGE = np.full((24, 94, 3), 255, dtype=np.uint8)

FAKE = """
import os

ASKS = "PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK" not in os.environ

class TextRecognition:
    def __init__(self, *, model_name, model_dir):
        print("chatter of a library")
        if model_dir:
            raise RuntimeError(f"No weights in {model_dir}, asks the network: {ASKS}")

    def predict(self, paths, batch_size):
        if len(paths) == 3:
            raise SystemExit("out of memory")
        return [{"rec_text": path[-5], "rec_score": 0.5} for path in paths]
"""


@pytest.fixture
def fake_paddleocr(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a package named paddleocr before the real one in the process that is started."""
    (tmp_path / "paddleocr.py").write_text(FAKE)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # which few have


@pytest.mark.usefixtures("fake_paddleocr")
def test_it_reads_batch_after_batch_in_order() -> None:
    recogniser = StockPaddleRecogniser()

    first = recogniser.recognise([IMAGE] * 2)
    second = recogniser.recognise([IMAGE])
    recogniser.close()

    assert [reading.text for reading in first + second] == ["0", "1", "0"]
    assert first[0].confidence == 0.5


@pytest.mark.usefixtures("fake_paddleocr")
def test_missing_weights_say_why_and_what_else_there_is() -> None:
    with pytest.raises(BadInput, match=r"No weights in here.*rapidocr carries its own"):
        StockPaddleRecogniser(model_dir="here")


@pytest.mark.usefixtures("fake_paddleocr")
def test_weights_in_a_folder_need_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PADDLE_PDX_DISABLE_MODEL_SOURCE_CHECK", raising=False)

    with pytest.raises(BadInput, match="asks the network: False"):
        StockPaddleRecogniser(model_dir="here")


@pytest.mark.usefixtures("fake_paddleocr")
def test_process_that_dies_is_reported() -> None:
    recogniser = StockPaddleRecogniser()

    with pytest.raises(BadInput, match="out of memory"):
        recogniser.recognise([IMAGE] * 3)


def test_process_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "paddleocr.py").write_text("import time\ntime.sleep(600)\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")

    with pytest.raises(BadInput, match="no answer within 2 s"):
        StockPaddleRecogniser(timeout_s=2)

import subprocess
import sys

import cv2
import numpy as np
import pytest

from ocr.image.pixels import Image
from ocr.reading.baselines import RapidOcrRecogniser


def draw(text: str) -> Image:
    image = np.full((48, 220, 3), 255, dtype=np.uint8)
    cv2.putText(image, text, (8, 36), cv2.FONT_HERSHEY_SIMPLEX, 1.0, (0, 0, 0), 2)
    return image


def test_it_reads_images_in_their_order() -> None:
    images = [draw("BAR 2024"), draw("77")[:, :60], draw("FOO 1234")]

    readings = RapidOcrRecogniser().recognise(images)

    assert [reading.text.replace(" ", "") for reading in readings] == ["BAR2024", "77", "FOO1234"]
    assert all(reading.confidence > 0.8 for reading in readings)


def test_no_images_give_no_readings() -> None:
    assert RapidOcrRecogniser().recognise([]) == []


def test_it_is_quiet_and_needs_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")
    code = (
        "import numpy as np\n"
        "from ocr.reading.baselines import RapidOcrRecogniser\n"
        "RapidOcrRecogniser().recognise([np.full((24, 94, 3), 255, np.uint8)])"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)

    assert (done.stdout, done.stderr) == (b"", b"")

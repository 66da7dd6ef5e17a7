"""The ONNX recogniser: order, batches, threads, and what it refuses to load."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from ocr.errors import BadData, BadInput
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from ocr.reading.recognition.recogniser import BATCH_WIDTH_PX, OnnxRecogniser, batches_by_width
from tests.toy_bundle import CHARACTERS, draw, toy_model, write_toy_bundle

TEXTS = ["A", "BA", "C B", "AABBCC", "CAB" * 30, "", "B"]
LINE = LineSpec(layout="line", height_px=16, width_px=64)


@pytest.fixture
def recogniser(tmp_path: Path) -> OnnxRecogniser:
    return OnnxRecogniser.load(write_toy_bundle(tmp_path, name="toy", version="3"))


def as_read(text: str) -> str:
    """Equal neighbours without a gap merge."""
    kept = [c for i, c in enumerate(text) if i == 0 or text[i - 1] != c]
    return "".join(kept).replace(" ", "")


def test_images_of_any_width_are_read_in_their_order(recogniser: OnnxRecogniser) -> None:
    found = recogniser.recognise([draw(text or " ") for text in TEXTS])

    assert [recognition.text for recognition in found] == [as_read(text) for text in TEXTS]
    assert found[0].confidence > 0.9
    assert found[5].confidence == 0.0


def test_the_name_tells_model_and_version(recogniser: OnnxRecogniser) -> None:
    assert recogniser.name == "toy:3"


def test_no_images_give_no_texts(recogniser: OnnxRecogniser) -> None:
    assert recogniser.recognise([]) == []


@pytest.mark.parametrize("layout", ["fixed", "line"])
def test_company_changes_no_answer(tmp_path: Path, layout: Literal["fixed", "line"]) -> None:
    recogniser = OnnxRecogniser.load(write_toy_bundle(tmp_path, layout=layout))
    images = [draw(text or " ") for text in TEXTS]

    together = recogniser.probabilities(images)
    alone = [recogniser.probabilities([image])[0] for image in images]

    for one, other in zip(together, alone, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_one_recogniser_serves_many_threads(recogniser: OnnxRecogniser) -> None:
    def read(number: int) -> list[str]:
        texts = [TEXTS[(number + i) % len(TEXTS)] or " " for i in range(1 + number % 3)]
        found = recogniser.recognise([draw(text) for text in texts])
        return [text for text, one in zip(texts, found, strict=True) if one.text != as_read(text)]

    with ThreadPoolExecutor(8) as pool:
        wrong = [text for texts in pool.map(read, range(200)) for text in texts]

    assert wrong == []


def test_batches_group_similar_widths_within_the_budget() -> None:
    rng = np.random.default_rng(0)
    widths_px = rng.integers(8, 3200, 500).tolist()

    batches = list(batches_by_width(widths_px))

    assert sorted(index for batch in batches for index in batch) == list(range(500))
    shared = [batch for batch in batches if len(batch) > 1]
    padded = [len(batch) * max(widths_px[i] for i in batch) for batch in shared]
    assert max(padded) <= BATCH_WIDTH_PX
    flat = [widths_px[index] for batch in batches for index in batch]
    assert flat == sorted(flat)


def test_a_damaged_bundle_is_not_loaded(tmp_path: Path) -> None:
    bundle = write_toy_bundle(tmp_path)
    (bundle / "charset.txt").write_text("A\nB\nD\n", encoding="utf-8")

    with pytest.raises(BadData, match=r"charset\.txt is damaged"):
        OnnxRecogniser.load(bundle)


@pytest.mark.parametrize("model", [b"", b"junk" * 100, b"\x80\x04\x95"])
def test_what_is_no_onnx_model_is_refused(model: bytes) -> None:
    with pytest.raises(BadData, match="toy has no usable ONNX model"):
        OnnxRecogniser(model, charset=Charset(CHARACTERS), spec=LINE, name="toy")


def test_a_charset_of_another_model_is_refused() -> None:
    with pytest.raises(BadData, match="expected 3 classes"):
        OnnxRecogniser(toy_model(LINE), charset=Charset(("A", "B")), spec=LINE, name="toy")


@pytest.mark.parametrize(
    "other",
    [
        LineSpec(layout="line", height_px=32, width_px=64),
        LineSpec(layout="fixed", height_px=16, width_px=64),
    ],
)
def test_an_input_of_another_model_is_refused(other: LineSpec) -> None:
    with pytest.raises(BadData, match="expected x of"):
        OnnxRecogniser(toy_model(LINE), charset=Charset(CHARACTERS), spec=other, name="toy")


def test_an_empty_image_is_refused(recogniser: OnnxRecogniser) -> None:
    with pytest.raises(BadInput, match="Expected an image"):
        recogniser.recognise([np.zeros((0, 4, 3), dtype=np.uint8)])

"""JSON files that PaddleOCR 3 saves: written by its own classes, read as rows."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ocr.errors import BadData
from ocr.evaluation.saved_results import rows_of_results

PAGE: dict[str, Any] = {
    "input_path": "scans/a.jpg",
    "page_index": None,
    "model_settings": {"use_doc_preprocessor": False, "use_textline_orientation": False},
    "dt_polys": [np.array([[1, 2], [9, 2], [9, 8], [1, 8]], np.int16)],
    "text_det_params": {"limit_side_len": 64},
    "text_type": "general",
    "text_rec_score_thresh": 0.0,
    "return_word_box": False,
    "rec_texts": ["合计 1"],
    "rec_scores": [0.5],
    "rec_polys": [np.array([[1, 2], [9, 2], [9, 8], [1, 8]], np.int16)],
    "rec_boxes": np.array([[1, 2, 9, 8]]),
}
EMPTY = {"rec_texts": [], "rec_scores": [], "rec_polys": [], "rec_boxes": np.array([])}


def save_page(folder: Path, **changes: Any) -> None:
    result = pytest.importorskip("paddlex.inference.pipelines.ocr.result")
    result.OCRResult(PAGE | changes).save_to_json(str(folder))


def test_a_line_that_the_package_saved_is_a_row_of_text_and_confidence(tmp_path: Path) -> None:
    result = pytest.importorskip("paddlex.inference.models.text_recognition.result")
    line = {"input_img": None, "vis_font": None, "input_path": "x/1.png", "page_index": None}
    result.TextRecResult(line | {"rec_text": "皖 A1", "rec_score": 0.25}).save_to_json(
        str(tmp_path)
    )

    assert rows_of_results(tmp_path).decode() == "x/1.png\t皖 A1\t0.25"


def test_pages_that_the_package_saved_are_rows_of_regions(tmp_path: Path) -> None:
    save_page(tmp_path)
    save_page(tmp_path, input_path="scans/b.jpg", **EMPTY)

    first, second = rows_of_results(tmp_path).decode().split("\n")

    image, regions = first.split("\t")
    assert image == "scans/a.jpg"
    points = [[1.0, 2.0], [9.0, 2.0], [9.0, 8.0], [1.0, 8.0]]
    assert json.loads(regions) == [{"transcription": "合计 1", "points": points, "score": 0.5}]
    assert second == "scans/b.jpg\t[]"


@pytest.mark.parametrize(
    ("settings", "angle", "said"),
    [
        ({"use_doc_unwarping": True, "use_doc_orientation_classify": False}, -1, "unwarping=False"),
        ({"use_doc_unwarping": False, "use_doc_orientation_classify": True}, 90, "classify=False"),
        ({"use_doc_unwarping": False, "use_doc_orientation_classify": True}, 0, ""),
    ],
)
def test_boxes_on_a_page_that_was_changed_first_are_refused(
    tmp_path: Path, settings: dict[str, bool], angle: int, said: str
) -> None:
    result = pytest.importorskip("paddlex.inference.pipelines.doc_preprocessor.result")
    prepared = {"input_path": None, "page_index": None, "model_settings": settings, "angle": angle}
    save_page(
        tmp_path,
        model_settings={"use_doc_preprocessor": True},
        doc_preprocessor_res=result.DocPreprocessorResult(prepared),
    )

    if said:
        with pytest.raises(BadData, match=f"a_res.json: its boxes are not on the page.*{said}"):
            rows_of_results(tmp_path)
    else:
        assert rows_of_results(tmp_path).startswith(b"scans/a.jpg\t")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "a.json is no result of PaddleOCR:  Invalid JSON"),
        ('{"input_path": "a.jpg"}', "a.json is no result of PaddleOCR: rec_polys Field required"),
        (
            '{"input_path": null, "rec_texts": [], "rec_scores": [], "rec_polys": []}',
            "a.json is no result of PaddleOCR: input_path Input should be a valid string",
        ),
        (
            '{"input_path": "a.jpg", "rec_texts": ["1"], "rec_scores": [], "rec_polys": []}',
            "a.json: rec_texts, rec_polys and rec_scores differ in length",
        ),
    ],
)
def test_what_is_no_result_is_named(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "a.json").write_text(content)

    with pytest.raises(BadData, match=said):
        rows_of_results(tmp_path)


def test_a_folder_without_results_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadData, match=r"holds no \.json, expected those that PaddleOCR saves"):
        rows_of_results(tmp_path)

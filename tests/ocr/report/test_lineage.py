"""What a report says a version was made of."""

import pytest

from ocr.models.bundle import RecogniserManifest
from ocr.models.recogniser_spec import LineSpec
from ocr.report.lineage import Lineage, describe_part
from tests.manifest_facts import manifest_facts

MEASURED = {
    "text_model_gain": 0.0518,
    "text_model_gain_lower": 0.0301,
    "text_model_gain_upper": 0.0716,
}
RULED = {"text_model_gain_at_weight": 0.0536, "text_model_likely_score_gain": 0.0402}
PRICE = {
    "int8_change": -0.0013,
    "int8_change_lower": -0.0044,
    "int8_change_upper": 0.0017,
    "int8_alike": 0.986,
    "int8_time": 0.497,
}


def describe(metrics: dict[str, float], files: dict[str, str]) -> Lineage:
    manifest = RecogniserManifest(
        **manifest_facts(name="lines", version="1"),
        input=LineSpec("line", 32, 320),
        metrics={"accuracy": 0.9, **metrics},
        files=files,
    )

    return describe_part(manifest, environment={})


@pytest.mark.parametrize(
    ("metrics", "files", "said"),
    [
        ({}, {}, ""),
        (PRICE, {"onnx/int8.onnx": "0"}, "read in them; "),
        (PRICE, {}, "left out, as they do not pay; "),
    ],
)
def test_8_bits_are_told_with_their_price(
    metrics: dict[str, float], files: dict[str, str], said: str
) -> None:
    told = describe(metrics, files).int8

    expected = (
        "on the validation split -0.0013 (-0.0044 to +0.0017), 98.6% of the lines alike, "
        "in 0.50 times the time"
    )
    assert told == (said + expected if said else "")


@pytest.mark.parametrize(
    ("metrics", "files", "said"),
    [
        ({}, {}, ""),
        (MEASURED | RULED, {"texts.npz": "0"}, "read with; "),
        (
            MEASURED | RULED | {"text_model_likely_score_gain": 0.0},
            {},
            "left out, as it helps with a probability of less than about 80%; ",
        ),
        (
            MEASURED | RULED | {"text_model_gain_at_weight": -0.0004},
            {},
            "left out, as every weight reads fewer validation lines exactly right; ",
        ),
        (MEASURED, {"texts.npz": "0"}, "read with; "),  # an earlier bundle
        (MEASURED, {}, "left out, as it does not help; "),
    ],
)
def test_a_text_model_is_told_with_its_gain(
    metrics: dict[str, float], files: dict[str, str], said: str
) -> None:
    told = describe(metrics, files).text_model

    expected = "validation lines read right: +0.0518 (+0.0301 to +0.0716)"
    assert told == (said + expected if said else "")


def test_a_text_model_that_one_document_measured_is_told_without_bounds() -> None:
    told = describe({"text_model_gain": 0.2, "text_model_gain_at_weight": 0.2}, {}).text_model

    assert told == (
        "left out, as the validation lines are of one document, which cannot tell whether it "
        "helps; validation lines read right: +0.2000"
    )

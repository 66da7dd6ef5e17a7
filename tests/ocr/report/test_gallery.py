import pytest

from ocr.report.gallery import Segment, mark_differences


@pytest.mark.parametrize(
    ("prediction", "segments"),
    [
        ("0123", [Segment("same", "0123")]),
        ("0193", [Segment("same", "01"), Segment("wrong", "9"), Segment("same", "3")]),
        ("013", [Segment("same", "01"), Segment("missed", "2"), Segment("same", "3")]),
        ("01234", [Segment("same", "0123"), Segment("wrong", "4")]),
        ("", [Segment("missed", "0123")]),
    ],
)
def test_differences_are_marked_where_they_are(prediction: str, segments: list[Segment]) -> None:
    assert mark_differences(prediction, "0123") == segments

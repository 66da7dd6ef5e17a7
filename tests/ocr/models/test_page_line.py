"""The JSON form of a page's line, which bundles, the gateway and the command share."""

import json

from ocr.models.page_line import PageLine


def test_json_is_rounded_to_what_a_reader_can_tell_apart() -> None:
    line = PageLine(polygon=((2.126, 3), (40.004, 3)), text="謝謝", confidence=0.97654)

    assert line.to_json() == {
        "text": "謝謝",
        "confidence": 0.9765,
        "polygon": [[2.13, 3], [40.0, 3]],
    }


def test_what_is_written_is_read_again() -> None:
    line = PageLine(polygon=((2.13, 3), (40, 3), (40, 12), (2, 12)), text="A", confidence=0.97)

    assert PageLine.from_json(json.loads(json.dumps(line.to_json()))) == line

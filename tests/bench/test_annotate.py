"""The bench of label assistance: what is met by checking the suggested pages first."""

import pytest

from bench.annotate import check, print_corrections
from ocr.dataset.pages.labelled_pages import LabelledPage
from ocr.dataset.pages.region import Region
from ocr.image.pixels import encode_png
from tests.ocr.proposal.readers import ToldReader

PAGES = 10


def test_corrections_are_counted_and_found_where_the_model_doubts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    reader, pages = ToldReader(), []
    for number in range(PAGES):
        is_misread = number == PAGES - 1
        read = [(f"LINE {number}", 0.5 if is_misread else 0.99), ("TOTAL", 0.98)]
        image = reader.draw(read, seed=number)
        corners = (line.polygon for line in reader.read(image).lines)
        texts = ["LIME" if is_misread else f"LINE {number}", "TOTAL"]
        regions = tuple(Region(*each) for each in zip(corners, texts, strict=True))
        pages.append(LabelledPage(f"{number}.png", regions, encode_png(image), 10**6))

    checked = check(pages, reader)
    print_corrections(checked)

    assert checked.corrections.tolist() == [0] * (PAGES - 1) + [1]
    assert checked.half[0] == checked.useful[0] == checked.doubted[0] == PAGES - 1
    rows = [row for row in capsys.readouterr().out.splitlines() if "│ half" in row]
    assert [cell.strip() for cell in rows[0].split("│")[1:5]] == [
        "1",
        "half",
        "1.000",
        "0.500",
    ]

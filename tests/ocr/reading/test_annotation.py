import numpy as np

from ocr.models.page_line import PageLine
from ocr.reading.annotation import annotate_page

PAGE = np.full((300, 600, 3), 255, np.uint8)


def line(text: str, confidence: float = 1.0, *, left: float = 100, top: float = 100) -> PageLine:
    corners = ((0, 0), (200, 0), (200, 40), (0, 40))
    polygon = tuple((left + x, top + y) for x, y in corners)
    return PageLine(polygon=polygon, text=text, confidence=confidence)


def test_box_is_tinted_inside_and_the_page_is_left_outside() -> None:
    drawn = annotate_page(PAGE, [line("TOTAL")])

    assert drawn.shape == PAGE.shape
    blue, green, red = (int(value) for value in drawn[120, 250])
    assert green > blue > red
    assert (drawn[200:] == 255).all()
    assert (PAGE == 255).all()


def test_line_of_low_confidence_has_another_colour() -> None:
    blue, green, red = annotate_page(PAGE, [line("TOTAL", 0.3)])[120, 250].tolist()

    assert red > green > blue


def test_text_is_written_above_its_box_and_other_scripts_get_their_number() -> None:
    latin, other = (
        (annotate_page(PAGE, [line(text)])[80:98] < 100).sum() for text in ("TOTAL 12.50", "謝謝")
    )

    assert latin > other > 0


def test_box_at_and_beyond_the_border_is_drawn() -> None:
    drawn = annotate_page(PAGE, [line("A", left=-20, top=-10), line("B", left=590, top=295)])

    assert (drawn[10, 10] != 255).any()

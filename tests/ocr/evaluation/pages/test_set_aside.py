"""Below which confidence lines are set aside: chosen on some pages, measured on others."""

from collections.abc import Iterator, Sequence

import pytest

from ocr.dataset.pages.snapshot import PageSample
from ocr.evaluation.pages.set_aside import SetAsideGain, choose_min_confidence
from ocr.image.pixels import Image
from ocr.models.page_line import PageLine
from ocr.reading.page_reader import PageReading
from tests.ocr.evaluation.pages.scenes import ScriptedReader, box, label_pages, region

Found = Sequence[tuple[str, float]]
"""What is read below each other, and how surely."""

TRUE = ["AB", "CD", "EF"]
"""What every page says."""


class Validation:
    """Pages of the validation split, each a document of its own unless all are of one."""

    def __init__(self, pages: int, *, group: str = "") -> None:
        truths = [[region(10, 30 * at, text) for at, text in enumerate(TRUE)]] * pages
        groups = [group or f"document {at}" for at in range(pages)]
        self._pages = label_pages(truths, groups=groups)

    def samples(self, split: str) -> Iterator[PageSample]:
        assert split == "val"
        return (sample for sample, _ in self._pages)

    def image(self, page: PageSample) -> Image:
        return next(image for sample, image in self._pages if sample is page)


def choose(pages: Sequence[Found], *, group: str = "") -> SetAsideGain | None:
    def answer(number: int) -> PageReading:
        lines = (
            PageLine(box(10, 30 * at), text, confidence)
            for at, (text, confidence) in enumerate(pages[number])
        )
        return PageReading(tuple(lines), rotation=0, timings={})

    reader = ScriptedReader("reader", answer)
    return choose_min_confidence(reader, Validation(len(pages), group=group))  # type: ignore[arg-type]


SURE = [(text, 0.97) for text in TRUE]
NOISE = [("|", 0.55), ("..", 0.35)]


def test_noise_is_set_aside_below_the_least_confidence_that_suffices() -> None:
    found = choose([[*SURE, *NOISE], SURE] * 10)

    assert found is not None
    assert found.min_confidence == 0.6
    assert found.gain.hmean == pytest.approx(6 / 7)
    assert found.gain.change.value == pytest.approx(1 / 7)
    assert found.gain.pays


def test_what_is_right_is_kept_however_unsure() -> None:
    found = choose([[*SURE[:2], ("EF", 0.32)]] * 10)

    assert found is not None
    assert (found.gain.hmean, found.gain.change.value) == (1.0, 0.0)
    assert not found.gain.pays


def test_text_that_is_read_wrongly_is_no_noise() -> None:
    wrong = [*SURE[:2], ("EE", 0.55)]
    found = choose([[*wrong, ("..", 0.35)]] * 10)

    assert found is not None
    assert found.min_confidence == 0.4
    assert found.gain.pays


def test_where_setting_aside_finds_less_nothing_is() -> None:
    assert choose([[*SURE[:2], ("EE", 0.25)], SURE] * 10) is None


def test_what_other_documents_do_not_tell_is_no_gain() -> None:
    found = choose([[*SURE, *NOISE, ("'", 0.25)]] * 10, group="march")

    assert found is not None
    assert found.gain.change.value == 0
    assert not found.gain.pays


def test_without_validation_pages_there_is_nothing_to_choose_by() -> None:
    assert choose([]) is None

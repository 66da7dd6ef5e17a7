import pytest

from ocr.dataset.candidate import Row
from ocr.dataset.pages.label import PageLabel
from ocr.dataset.pages.labels import RawPageLabel, RawRegion
from ocr.dataset.pages.labels.raw import Points
from ocr.dataset.pages.region import Region
from ocr.dataset.pages.region_check import check_regions
from ocr.dataset.quarantine import Fault, Reason

BOX: Points = ((10, 20), (60, 20), (60, 30), (10, 30))


def check(*regions: RawRegion, size: tuple[int, int] = (200, 100)) -> PageLabel:
    page = Row("a.jpg", RawPageLabel(regions), "val", "", "det.txt", "det.txt:3")
    return check_regions(page, width_px=size[0], height_px=size[1])


def test_good_regions_stay_as_they_are() -> None:
    curved: Points = ((10, 20), (30, 15), (60, 20), (60, 30), (30, 25), (10, 30))

    page = check(RawRegion(BOX, "A"), RawRegion(curved, "B", ignored=True))

    assert page.regions == (Region(BOX, "A"), Region(curved, "B", ignored=True))
    assert page.faults == ()


@pytest.mark.parametrize(
    ("points", "kept"),
    [
        (((-2, 20), (60, 20), (60, 30), (-2, 30)), ((0, 20), (60, 20), (60, 30), (0, 30))),
        (
            ((150, 90), (202, 90), (202, 102), (150, 102)),
            ((150, 90), (200, 90), (200, 100), (150, 100)),
        ),
    ],
)
def test_corners_a_little_outside_move_to_the_edge(points: Points, kept: Points) -> None:
    page = check(RawRegion(points, "A"))

    assert page.regions == (Region(kept, "A"),)
    assert page.faults == ()


@pytest.mark.parametrize(("left", "reasons"), [(-40, []), (-41, ["outside_image"])])
def test_one_percent_of_a_large_side_is_a_little(left: int, reasons: list[Reason]) -> None:
    region = RawRegion(((left, 20), (60, 20), (60, 30), (left, 30)), "A")

    page = check(region, size=(4000, 100))

    assert [fault.reason for fault in page.faults] == reasons


FAULTY: list[tuple[str, Points, Reason, Points]] = [
    (
        "a corner outside",
        ((10, 20), (260, 20), (260, 40), (10, 40)),
        "outside_image",
        ((10, 20), (200, 20), (200, 40), (10, 40)),
    ),
    ("sides that cross", ((10, 20), (60, 30), (60, 20), (10, 30)), "self_crossing", BOX),
    ("a triangle", ((10, 20), (60, 20), (60, 30)), "degenerate", ()),
]


@pytest.mark.parametrize(
    ("points", "reason", "kept"), [f[1:] for f in FAULTY], ids=[f[0] for f in FAULTY]
)
def test_faulty_region_is_ignored_where_it_encloses_something(
    points: Points, reason: Reason, kept: Points
) -> None:
    page = check(RawRegion(BOX[:1] * 4, "0"), RawRegion(points, "A"))

    assert [(r.reason, r.where, r.image, r.text) for r in page.faults][1:] == [
        (reason, "det.txt:3 region 2", "a.jpg", "A")
    ]
    (region,) = page.regions
    assert (region.text, region.ignored) == ("A", True)
    if kept:
        assert set(region.polygon) == set(kept)


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        (((10, 20), (60, 30)), "degenerate"),
        (((10, 20), (60, 20), (60, 20.4), (10, 20.4)), "degenerate"),
        (((300, 20), (360, 20), (360, 30), (300, 30)), "outside_image"),
        ((), "empty_polygon"),
    ],
    ids=["two corners", "a hair", "beyond the page", "no corners"],
)
def test_region_that_encloses_nothing_is_dropped(points: Points, reason: Reason) -> None:
    page = check(RawRegion(points, "A"))

    assert [each.reason for each in page.faults] == [reason]
    assert page.regions == ()
    assert page.written == 1


def test_what_a_reader_could_not_read_is_ignored_where_it_says_so() -> None:
    fault = Fault("malformed_region", "a mask")

    page = check(RawRegion(BOX, "A", fault=fault), RawRegion((), "B", fault=fault))

    assert [region.ignored for region in page.regions] == [True]
    assert [each.detail for each in page.faults] == ["a mask", "a mask"]


@pytest.mark.parametrize(
    ("text", "code_point"),
    [
        ("\ud83d万佳", "U+D83D"),
        ("a\u2028b", "U+2028"),
        ("a\u2029b", "U+2029"),
        ("a\x85b", "U+0085"),
    ],
)
def test_hidden_character_is_named_and_the_region_stays_without_its_text(
    text: str, code_point: str
) -> None:
    page = check(RawRegion(BOX, text))

    assert [(each.reason, each.detail) for each in page.faults] == [
        ("control_character", f"holds {code_point}")
    ]
    assert page.regions == (Region(BOX, ""),)


def test_region_without_a_text_is_told_and_stays() -> None:
    page = check(RawRegion(BOX, ""))

    assert [each.reason for each in page.faults] == ["missing_text"]
    assert page.regions == (Region(BOX, ""),)


def test_region_whose_text_could_not_be_read_says_why_and_stays() -> None:
    fault = Fault("malformed_region", "the text is 9.5")

    page = check(RawRegion(BOX, "", text_fault=fault))

    assert [(each.reason, each.detail) for each in page.faults] == [fault]
    assert page.regions == (Region(BOX, ""),)


def test_ignored_region_needs_no_text() -> None:
    assert check(RawRegion(BOX, "", ignored=True)).faults == ()


@pytest.mark.parametrize("again", [BOX, BOX[2:] + BOX[:2], BOX[::-1]])
def test_duplicate_is_dropped_and_the_first_stays(again: Points) -> None:
    page = check(RawRegion(BOX, "A"), RawRegion(again, "A"))

    assert [each.reason for each in page.faults] == ["duplicate_region"]
    assert page.regions == (Region(BOX, "A"),)


def test_two_texts_of_one_place_leave_it_without_a_text() -> None:
    page = check(RawRegion(BOX, "A"), RawRegion(BOX, "B"))

    assert page.regions == (Region(BOX, ""),)
    assert "'A' and 'B'" in page.faults[0].detail


def test_place_that_is_once_ignored_stays_ignored() -> None:
    page = check(RawRegion(BOX, "A"), RawRegion(BOX, "A", ignored=True))

    assert page.regions == (Region(BOX, "A", ignored=True),)


def test_corners_turn_clockwise_from_the_first() -> None:
    page = check(RawRegion((BOX[2], BOX[1], BOX[0], BOX[3]), "A"))

    assert page.regions[0].polygon == (BOX[2], BOX[3], BOX[0], BOX[1])


def test_corners_that_start_anywhere_begin_at_the_upper_left() -> None:
    page = check(RawRegion((BOX[2], BOX[1], BOX[0], BOX[3]), "A", starts_reading=False))

    assert page.regions[0].polygon == BOX


def test_corners_are_kept_to_a_hundredth_of_a_pixel() -> None:
    page = check(RawRegion(((10.00001, 20.006), *BOX[1:]), "A"))

    assert page.regions[0].polygon[0] == (10, 20.01)

"""Lines that are parted at gaps: what each part reads, and where it lies."""

import numpy as np
import pytest

from ocr.image.rectangle import Corners
from ocr.models.gap_model import BUCKETS, Gap, GapModel
from ocr.reading.detection.kernel_map import KernelMap
from ocr.reading.gaps import cut_at_gaps, describe_gaps, find_gaps
from ocr.reading.recognition.ctc import Recognition
from ocr.reading.words import PlacedLine, find_words
from tests.ocr.reading.written_lines import write_line

LEVEL = np.array([(100, 50), (300, 50), (300, 80), (100, 80)], np.float32)
EVERYWHERE = GapModel(np.full(BUCKETS, 1, dtype=np.float32), 0.5)
NOWHERE = GapModel(np.full(BUCKETS, -1, dtype=np.float32), 0.5)


def line(text: str, gaps: dict[int, int], *, box: Corners = LEVEL) -> PlacedLine:
    """A line whose characters stand evenly but for gaps of so many characters at some spaces."""
    at, middles = 0.0, []
    for place in range(len(text)):
        width = gaps.get(place, 1)
        middles.append(at + width / 2)
        at += width
    return write_line(text, [middle / at for middle in middles], box)


def test_a_line_is_parted_at_its_wide_gaps() -> None:
    whole = line("63.80 SR 1 X", {5: 4, 8: 1, 10: 5})  # 19 characters of 10.5 px, 30 px high

    first, second, third = cut_at_gaps(whole, EVERYWHERE)

    assert [part.read.text for part in (first, second, third)] == ["63.80", "SR 1", "X"]
    assert first.read.confidence == pytest.approx(np.mean([0.5, 0.6, 0.7, 0.8, 0.9]))
    assert first.read.character_places == whole.read.character_places[:5]
    width = 200 / 19
    for part, (begin, end) in ((first, (0, 5)), (second, (9, 13)), (third, (18, 19))):
        # The end of a line is the box's, the other ends are read: half a character more or less.
        assert part.box[0, 0] == pytest.approx(100 + begin * width, abs=width / 2 + 0.1)
        assert part.box[1, 0] == pytest.approx(100 + end * width, abs=width / 2 + 0.1)
        assert part.box[:, 1].tolist() == [50, 50, 80, 80]
    assert first.box[0].tolist() == [100, 50]
    assert third.box[2].tolist() == [300, 80]


def test_a_line_stays_as_it_is_where_the_model_parts_none() -> None:
    whole = line("63.80 SR", {5: 4})

    assert cut_at_gaps(whole, NOWHERE) == [whole]
    assert len(cut_at_gaps(line("TOTAL 63.80 SR 3.60 5.0", {}), EVERYWHERE)) == 1


@pytest.mark.parametrize("text", ["", "謝謝惠顧", "A", "   "])
def test_a_line_of_one_word_has_no_gaps(text: str) -> None:
    assert find_gaps(line(text, {})) == []


def test_nothing_is_parted_where_nobody_knows_where_characters_stand() -> None:
    unplaced = PlacedLine(Recognition("A B", 0.9, (0.9,) * 3), LEVEL, LEVEL)

    assert cut_at_gaps(unplaced, EVERYWHERE) == [unplaced]


def test_parts_of_an_upright_line_lie_below_each_other() -> None:
    box = np.array([(10, 0), (30, 0), (30, 200), (10, 200)], np.float32)
    upright = PlacedLine(line("AB CD", {2: 6}).read, box, box)

    above, below = cut_at_gaps(upright, EVERYWHERE)

    assert (above.read.text, below.read.text) == ("AB", "CD")
    assert above.box[:2].tolist() == [[10, 0], [30, 0]]
    assert above.box[2, 1] < below.box[0, 1]
    assert below.box[2:].tolist() == [[30, 200], [10, 200]]


@pytest.mark.parametrize("degrees", [-40, -10, 3, 25, 40])
def test_parts_of_a_slanted_line_follow_it(degrees: float) -> None:
    turn = np.deg2rad(degrees)
    matrix = np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])
    box = (LEVEL @ matrix + (200, 300)).astype(np.float32)

    parts = cut_at_gaps(line("AB CD", {2: 6}, box=box), EVERYWHERE)
    level = cut_at_gaps(line("AB CD", {2: 6}), EVERYWHERE)

    for part, expected in zip(parts, level, strict=True):
        assert np.allclose(part.box, expected.box @ matrix + (200, 300), atol=0.5)


def test_every_gap_is_looked_at_once_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = " ".join("1" * 500)
    box = np.array([(0, 0), (40000, 0), (40000, 20), (0, 20)], np.float32)
    whole = line(text, dict.fromkeys(range(1, len(text), 2), 3), box=box)
    looked_at: list[Gap] = []

    def look(_: GapModel, gap: Gap) -> float:
        looked_at.append(gap)
        return 1.0

    monkeypatch.setattr(GapModel, "probability", look)

    assert len(cut_at_gaps(whole, EVERYWHERE)) == 500
    assert len(looked_at) == 499


def test_a_gap_in_which_the_detector_is_sure_of_text_is_none() -> None:
    whole = line("AB CD", {2: 6})
    middle = slice(190, 210)  # of 100 to 300; the map is half as large

    def seeing(probability: float) -> KernelMap:
        kernels = np.ones((60, 200), dtype=np.float32)
        kernels[:, middle.start // 2 : middle.stop // 2] = probability
        return KernelMap(kernels, (0.5, 0.5))

    far = line("AB CD", {2: 6}, box=LEVEL + 5000)

    assert len(cut_at_gaps(whole, EVERYWHERE, seeing(0.89))) == 2
    assert len(cut_at_gaps(whole, EVERYWHERE, seeing(0.91))) == 1
    assert len(cut_at_gaps(far, EVERYWHERE, seeing(0.0))) == 1


def test_a_break_of_one_pixel_in_the_widest_gap_is_seen() -> None:
    whole = line("AB CD", {2: 100})
    kernels = np.ones((60, 200), dtype=np.float32)

    for column in (60, 77, 101, 138):
        broken = kernels.copy()
        broken[:, column] = 0.3
        assert len(cut_at_gaps(whole, EVERYWHERE, KernelMap(broken, (0.5, 0.5)))) == 2


def test_what_is_no_wider_than_a_stroke_is_not_cut_off() -> None:
    places = (-0.05, 0.1, 0.4, 0.5, 0.9, 1.05)  # a rule beside the line, read in the crop's margin
    read = Recognition("| AB |", 0.9, (0.9,) * 6, places)
    whole = PlacedLine(read, LEVEL, LEVEL)

    assert find_gaps(whole) == []
    assert [word.text for word in find_words(whole)] == ["|", "AB", "|"]


def test_every_white_space_parts_words_alike() -> None:
    found = [find_gaps(line(f"AB{space}CD", {2: 6}))[0].heights for space in " \u3000\xa0\t"]

    assert found == [found[0]] * 4


def test_a_gap_is_looked_at_between_the_gaps_beside_it() -> None:
    text = "TOTAL RM 63.80 SR 3"
    whole = line(text, {5: 6, 8: 1, 14: 6, 17: 6})

    described = describe_gaps(text, find_gaps(whole))

    assert [(gap.left, gap.right) for gap in described] == [
        ("TOTAL", "RM 63.80"),
        ("RM 63.80", "SR"),
        ("SR", "3"),
    ]

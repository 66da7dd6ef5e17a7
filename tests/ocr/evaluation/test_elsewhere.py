"""What a system that is no version here read: found by the images' paths, or refused."""

import json
from pathlib import PurePosixPath

import pytest

from ocr.dataset.snapshot.snapshot import Sample
from ocr.dataset.split import Split
from ocr.errors import BadData
from ocr.evaluation.elsewhere import read_lines_elsewhere, read_pages_elsewhere
from ocr.models.page_line import PageLine
from ocr.reading.recognition.ctc import Recognition

SQUARE: list[list[float]] = [[1, 2], [9, 2], [9, 8], [1, 8]]


def sample(image: str, *, split: Split = "test", sample_id: str = "") -> Sample:
    return Sample(
        id=sample_id or f"id of {image}",
        split=split,
        width=9,
        height=9,
        source="labels.txt",
        group="",
        image=image,
        shard="",
        offset=0,
        size=0,
    )


def one_line(points: list[list[float]], *, key: str = "transcription") -> str:
    return json.dumps([{key: "1", "points": points}])


def read(content: str, *samples: Sample) -> dict[str, tuple[str, float]]:
    found = read_lines_elsewhere(content.encode(), name="old/told.txt", samples=samples)
    assert found.name == "readings in told.txt"
    return {each.image: (found.of(each).text, found.of(each).confidence) for each in samples}


def test_lines_of_the_tool_are_read_with_their_confidence_and_without() -> None:
    content = "\ufeffa.jpg\t皖A1\t0.75\r\n\nb.jpg\t\t0.0\nc.jpg\t 皖 B \n"

    told = read(content, sample("a.jpg"), sample("b.jpg"), sample("c.jpg"))

    assert told == {"a.jpg": ("皖A1", 0.75), "b.jpg": ("", 0.0), "c.jpg": ("皖 B", 1.0)}


@pytest.mark.parametrize(
    ("written", "image"),
    [
        ("./test/a.jpg", "test/a.jpg"),
        ("/data/plates/test/a.jpg", "test/a.jpg"),
        ("test\\a.jpg", "test/a.jpg"),
        ("a.jpg", "test/a.jpg"),  # tools/infer/predict_system.py writes the file's name alone
        ("test/a.jpg", "./test/a.jpg"),
        ("e\u0301.jpg", "\u00e9.jpg"),  # as a Mac lists it
    ],
)
def test_a_path_may_be_seen_from_another_folder(written: str, image: str) -> None:
    assert read(f"{written}\t1\n", sample(image)) == {image: ("1", 1.0)}


def test_the_path_that_is_written_in_whole_comes_first() -> None:
    content = "a.jpg\t1\nold/a.jpg\t2\n"

    told = read(content, sample("a.jpg"), sample("old/a.jpg"))

    assert told == {"a.jpg": ("1", 1.0), "old/a.jpg": ("2", 1.0)}
    assert read(content, sample("a.jpg")) == {"a.jpg": ("1", 1.0)}  # the other is in quarantine


def test_files_of_one_name_in_many_folders_are_each_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at: list[str] = []

    def look(path: str) -> PurePosixPath:
        looked_at.append(path)
        return PurePosixPath(path)

    monkeypatch.setattr("ocr.evaluation.elsewhere.PurePosixPath", look)
    samples = [sample(f"{number}/line.jpg") for number in range(99)]

    told = read("".join(f"./{number}/line.jpg\t{number}\n" for number in range(99)), *samples)

    assert told == {f"{number}/line.jpg": (str(number), 1.0) for number in range(99)}
    assert len(looked_at) == 99 + 99 + 1  # rows, samples and the file


def test_readings_of_what_is_not_tested_are_left_out() -> None:
    samples = [sample("a.jpg"), sample("t.jpg", split="train")]

    found = read_lines_elsewhere(
        b"a.jpg\t1\nt.jpg\t2\ngone.jpg\t3\n", name="told.txt", samples=samples
    )

    assert found.of(sample("a.jpg")).text == "1"


def test_equal_images_of_two_documents_are_read_each_as_told() -> None:
    one, other = sample("d1/1.jpg", sample_id="equal"), sample("d2/1.jpg", sample_id="equal")
    content = b"d1/1.jpg\t1\t0.9\nd2/1.jpg\t1\t0.8\n"

    found = read_lines_elsewhere(content, name="t.txt", samples=[one, other])

    assert [found.of(each).confidence for each in (one, other)] == [0.9, 0.8]
    with pytest.raises(BadData, match=r"1 of 2 test images, such as 'd1/1.jpg'"):
        read("d2/1.jpg\t1\n", one, other)
    assert read("1.jpg\t1\n", one, other) == {"d1/1.jpg": ("1", 1.0), "d2/1.jpg": ("1", 1.0)}


def test_an_image_that_nothing_is_told_of_is_named() -> None:
    said = r"told.txt does not tell what was read of 2 of 3 test images, such as 'b.jpg'; let that"

    with pytest.raises(BadData, match=said):
        read("a.jpg\t1\nba.jpg\t1\n", sample("a.jpg"), sample("b.jpg"), sample("x/b.jpg"))


@pytest.mark.parametrize(
    ("content", "samples", "said"),
    [
        (
            "a.jpg\t1\n",
            [sample("x/a.jpg"), sample("y/a.jpg", split="train")],
            "told.txt:1: a.jpg may be x/a.jpg or y/a.jpg; write it as the labels do",
        ),
        (
            "p.jpg\t1\n",
            [sample("p.jpg", sample_id="1"), sample("p.jpg", sample_id="2")],
            "told.txt:1: p.jpg has 2 lines, expected images of one line each",
        ),
        ("a.jpg\t1\n./a.jpg\t2\n", [sample("a.jpg")], "told.txt:2: .*at old/told.txt:1; keep one"),
        ("y/a.jpg\t1\nx/a.jpg\t2\n", [sample("a.jpg")], "txt:2: a.jpg was read otherwise under"),
        ("a.jpg 1\n", [sample("a.jpg")], "told.txt:1: 'a.jpg 1', expected an image, a tab and"),
        ("a.jpg\t1\thigh\n", [sample("a.jpg")], "the confidence is 'high', expected 0 to 1"),
        ("a.jpg\t1\tnan\n", [sample("a.jpg")], "the confidence is 'nan', expected 0 to 1"),
        (
            'a.jpg\t{"Student": {"label": "1", "score": 1.0}}\n',
            [sample("a.jpg")],
            "told.txt:1: a.jpg: several nets read it",
        ),
    ],
)
def test_what_cannot_be_told_is_refused(content: str, samples: list[Sample], said: str) -> None:
    with pytest.raises(BadData, match=said):
        read(content, *samples)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("f/" * 65 + "a.jpg", "is more than 64 folders deep"),
        ("f\\" * 65 + "a.jpg", "is more than 64 folders deep"),
        ("f/" * 100_000 + "a.jpg", "is longer than 4,096 characters"),
    ],
    ids=["deep", "of Windows", "long"],
)
def test_a_path_that_is_nobodys_is_refused_with_its_row(path: str, said: str) -> None:
    with pytest.raises(BadData, match=rf"old/told\.txt:2: the path 'f/f/.{{,80}}'… {said}"):
        read(f"a.jpg\t1\n{path}\t1\n", sample("a.jpg"))


def test_a_path_of_as_many_folders_as_a_label_may_have_is_read() -> None:
    path = "f/" * 64 + "a.jpg"

    assert read(f"{path}\t1\n", sample(path)) == {path: ("1", 1.0)}


def test_a_file_of_another_encoding_is_told_what_to_save_it_as() -> None:
    with pytest.raises(BadData, match=r"told.txt, line 1: byte .* is not utf-8.*save it as UTF-8"):
        read_lines_elsewhere("a.jpg\t皖".encode("gbk"), name="told.txt", samples=[sample("a.jpg")])


def test_pages_of_the_tool_are_read_and_what_reads_as_nothing_is_left_out() -> None:
    regions = [
        {"transcription": "###", "points": SQUARE},
        {"transcription": " ", "points": SQUARE},
        {"transcription": "合计，", "points": SQUARE, "score": 0.5},
    ]
    content = f"a.jpg\t{json.dumps(regions)}\nb.jpg\t[]\n".encode()

    found = read_pages_elsewhere(
        content,
        name="system_results.txt",
        samples=[sample("a.jpg"), sample("b.jpg")],
        write=lambda text: text.replace("，", ","),
    )

    polygon = ((1.0, 2.0), (9.0, 2.0), (9.0, 8.0), (1.0, 8.0))
    lines = (PageLine(polygon, "###", 1.0), PageLine(polygon, "合计,", 0.5))
    assert found.of(sample("a.jpg")) == lines
    assert found.of(sample("b.jpg")) == ()


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("nothing", "t.txt:1: a.jpg: Expecting value"),
        ("{}", 'expected .{"transcription"'),
        ('[{"transcription": "1"}]', "corners are None"),
        (one_line(SQUARE, key="text"), "a line has no transcription, only text, points"),
        ('[{"transcription": 1.5, "points": [[1, 2], [3, 4], [5, 6]]}]', "the text is 1.5"),
        ("[7]", "7 is no object"),
        (
            json.dumps([{"transcription": "1", "points": SQUARE, "score": 10**400}]),
            "t.txt:1: a.jpg: the confidence is 1000000",
        ),
        (
            json.dumps([{"transcription": "\ud83d", "points": SQUARE}]),
            r"t.txt:1: a.jpg: the text has half a character, U\+D83D",
        ),
    ],
)
def test_a_page_that_is_told_badly_is_refused(written: str, said: str) -> None:
    with pytest.raises(BadData, match=said):
        read_pages_elsewhere(
            f"a.jpg\t{written}\n".encode(), name="t.txt", samples=[sample("a.jpg")]
        )


def test_equal_recognitions_of_one_image_are_one() -> None:
    found = read_lines_elsewhere(
        b"a.jpg\t1\t1\nx/a.jpg\t1\t1\n", name="t.txt", samples=[sample("a.jpg")]
    )

    assert found.of(sample("a.jpg")) == Recognition("1", 1.0, ())


@pytest.mark.parametrize(
    "points",
    [
        [SQUARE[0], SQUARE[2]],
        [SQUARE[0], SQUARE[1], SQUARE[3], SQUARE[2]],
        [[0.1, 0.1], [1, 0.1], [1, 0.2], [0.1, 0.2]],
    ],
    ids=["two corners", "crossing sides", "shares of the page"],
)
def test_boxes_most_of_which_enclose_nothing_are_refused(points: list[list[float]]) -> None:
    crooked = {"transcription": "1", "points": points}
    whole = {"transcription": "2", "points": SQUARE}

    def tell(*regions: object) -> tuple[PageLine, ...]:
        content = f"a.jpg\t{json.dumps(regions)}".encode()
        found = read_pages_elsewhere(content, name="t.txt", samples=[sample("a.jpg")])
        return found.of(sample("a.jpg"))

    assert len(tell(crooked, whole)) == 2
    with pytest.raises(BadData, match=r"t.txt: 2 of 3 boxes are no outline, such as \(\("):
        tell(crooked, whole, crooked)

"""Pages whose labels nobody checked: they teach, and disturb nothing that people labelled."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import pytest

from ocr.dataset.labels.split_files import LabelShare
from ocr.dataset.lines.snapshot import open_line_snapshot
from ocr.dataset.pages.converters import export_pages
from ocr.dataset.pages.crops import prepare_crops
from ocr.dataset.pages.labels import PageLabelFiles
from ocr.dataset.pages.preparation import prepare_pages
from ocr.dataset.pages.snapshot import PageSample, PageSnapshot, of_people
from ocr.dataset.quarantine import TooManyRejected
from ocr.dataset.row_list import list_rows
from ocr.dataset.split import SPLITS, SplitRule
from ocr.errors import BadData
from ocr.evaluation.suspects.crops import crops_of_pages
from ocr.image.pixels import decode_image, encode_jpeg
from ocr.store import Store
from ocr.store.folder import download_folder
from tests.ocr.dataset.pages.preparing import LIMITS, TEST, VAL, fetch, prepare
from tests.ocr.dataset.pages.sheets import write_pages
from tests.ocr.dataset.rules import COPIES

LINES = 8
CHECKED = {f"checked/{at}.png": [f"TEXT {at} {line}" for line in range(LINES)] for at in range(20)}
READ = {f"read/{at}.png": [f"READ {at}"] for at in range(40)}
ILLEGIBLE = "###"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_pages(tmp_path, "checked.txt", CHECKED)
    write_pages(tmp_path, "read.txt", READ)
    return tmp_path


def files(root: Path, *, group_pattern: str = "", checked: bool = False) -> PageLabelFiles:
    more = (LabelShare("read.txt", checked=checked),)
    return PageLabelFiles("paddleocr", root, "checked.txt", more=more, group_pattern=group_pattern)


def take(
    store: Store, labels: PageLabelFiles, folder: Path, *, bad: float = 0.0, seed: int = 0
) -> PageSnapshot:
    made = prepare_pages(
        store,
        name="d",
        labels=labels,
        limits=replace(LIMITS, max_bad_share=bad),
        split=SplitRule(val_share=0.3, test_share=0.3, seed=seed),
        copies=COPIES,
    )
    return fetch(store, made, folder)


def every(pages: PageSnapshot, *splits: str) -> Iterator[PageSample]:
    for split in splits or SPLITS:
        yield from pages.samples(split)  # type: ignore[arg-type]


def splits_of_people(pages: PageSnapshot) -> dict[str, str]:
    """The split of each page that somebody labelled."""
    return {page.image: page.split for page in every(pages) if page.source == "checked.txt"}


def read_again(root: Path, rows: Mapping[str, Sequence[str]]) -> None:
    """Write readings of checked pages, saved again as JPEG in the folder `read`."""
    checked = dict(row.split("\t") for row in (root / "checked.txt").read_text().splitlines())
    written = []
    for image, texts in rows.items():
        entries = json.loads(checked[f"checked/{image}.png"])
        for entry, text in zip(entries, texts, strict=True):
            entry["transcription"] = text
        page = decode_image((root / f"checked/{image}.png").read_bytes(), max_pixels=10**7)
        (root / f"read/{image}.jpg").write_bytes(encode_jpeg(page))
        written.append(f"read/{image}.jpg\t{json.dumps(entries)}\n")
    (root / "read.txt").write_text("".join(written))


def test_they_are_in_train_whatever_is_split_off(store: Store, root: Path, tmp_path: Path) -> None:
    mixed = take(store, files(root, checked=True), tmp_path / "mixed", bad=0.5)
    pages = take(store, files(root), tmp_path / "pages")

    assert any(page.source == "read.txt" for page in every(mixed, "val", "test"))
    assert {page.source for page in every(pages, "val", "test")} == {"checked.txt"}
    assert sum(page.source != "checked.txt" for page in every(pages, "train")) == len(READ)
    assert pages.manifest.counts["unchecked"] == len(READ)
    assert {page.source for page in of_people(pages.samples("train"))} == {"checked.txt"}


def test_pages_of_people_stay_where_they_are_without_them(
    store: Store, root: Path, tmp_path: Path
) -> None:
    read_again(root, {str(at): CHECKED[f"checked/{at}.png"] for at in range(12)})

    for seed in range(3):
        for pattern in ("", r"^(read|checked/\d+)"):  # all that was read is one group
            labels = files(root, group_pattern=pattern)
            alone = replace(labels, more=())
            before = take(store, alone, tmp_path / f"a{seed}{len(pattern)}", seed=seed, bad=1)
            after = take(store, labels, tmp_path / f"b{seed}{len(pattern)}", seed=seed, bad=1)
            assert splits_of_people(after) == splits_of_people(before)
            assert after.manifest.test_digest == before.manifest.test_digest


@pytest.mark.parametrize(
    "texts",
    [
        [f"TEXT {{}} {line}" for line in range(LINES)],
        [ILLEGIBLE, *(f"TEXT {{}} {line}" for line in range(1, LINES))],
        [f"TEX{'7' if line > 2 else 'T'} {{}} {line}" for line in range(LINES)],
    ],
    ids=["all read", "one unsure", "five words misread"],
)
@pytest.mark.parametrize("transcribed", [LINES, LINES // 2, 0])
def test_a_page_that_somebody_labelled_is_not_learnt_as_a_model_read_it(
    store: Store, root: Path, tmp_path: Path, texts: list[str], transcribed: int
) -> None:
    read_again(root, {str(at): [text.format(at) for text in texts] for at in range(20)})
    rows = []
    for row in (root / "checked.txt").read_text().splitlines():
        image, entries = row.split("\t")
        regions = json.loads(entries)
        for region in regions[transcribed:]:
            region["transcription"] = ILLEGIBLE
        rows.append(f"{image}\t{json.dumps(regions)}\n")
    (root / "checked.txt").write_text("".join(rows))

    pages = take(store, files(root), tmp_path / "pages")

    assert {page.source for page in every(pages)} == {"checked.txt"}
    (reason,) = pages.manifest.quarantine
    assert (reason.reason, reason.count) == ("unchecked", len(CHECKED))
    assert reason.examples[0].detail == "duplicate: somebody labelled this page"


def test_no_page_of_a_document_that_is_held_out_is_learnt(
    store: Store, root: Path, tmp_path: Path
) -> None:
    rows = (root / "read.txt").read_text().splitlines()[:20]
    (root / "read.txt").write_text("".join(f"{row}\n" for row in rows))

    pages = take(store, files(root, group_pattern=r"/(\d+)\."), tmp_path / "pages")

    held_out = {page.group for page in every(pages, "val", "test")}
    assert held_out
    learnt = {page.group for page in every(pages, "train") if page.source != "checked.txt"}
    assert learnt == {page.group for page in every(pages, "train")}
    assert not learnt & held_out


def test_however_many_hide_no_bad_row_and_are_none(
    store: Store, root: Path, tmp_path: Path
) -> None:
    missing = "".join(f"gone/{at}.png\t[]\n" for at in range(30))
    checked = (root / "checked.txt").read_text()
    (root / "checked.txt").write_text(checked + "".join(missing.splitlines(keepends=True)[:5]))

    with pytest.raises(TooManyRejected, match=r"5 of 25 rows are bad \(20.0%\)"):
        take(store, files(root), tmp_path / "refused", bad=0.15)

    (root / "checked.txt").write_text(checked)
    (root / "read.txt").write_text((root / "read.txt").read_text() + missing)
    pages = take(store, files(root), tmp_path / "pages")
    (reason,) = pages.manifest.quarantine
    assert (reason.reason, reason.count) == ("unchecked", 30)
    assert reason.examples[0].detail.startswith("missing_image: ")


def test_what_a_model_drew_badly_is_nobody_s_fault(
    store: Store, root: Path, tmp_path: Path
) -> None:
    crossing = [{"transcription": "X", "points": [[8, 8], [80, 40], [80, 8], [8, 40]]}]
    rows = [row.split("\t") for row in (root / "read.txt").read_text().splitlines()]
    written = (
        f"{image}\t{json.dumps(json.loads(regions) + crossing * 9)}\n" for image, regions in rows
    )
    (root / "read.txt").write_text("".join(written))

    pages = take(store, files(root), tmp_path / "pages")

    assert pages.manifest.quarantine == ()
    assert pages.manifest.counts["regions"] == LINES * len(CHECKED)


def test_a_file_may_be_called_so(store: Store, root: Path, tmp_path: Path) -> None:
    (root / "checked.txt").rename(root / "checked (unchecked)")
    labels = PageLabelFiles("paddleocr", root, "checked (unchecked)")

    pages = take(store, labels, tmp_path / "pages")

    assert "unchecked" not in pages.manifest.counts
    assert len(list(every(pages, "val", "test"))) > 0


def test_an_image_of_a_document_that_is_held_out_is_learnt_by_no_other_name(
    store: Store, root: Path, tmp_path: Path
) -> None:
    row = (root / "read.txt").read_text().splitlines()[0].split("\t")[1]
    same = [f"again/{at}.png" for at in range(20)], [f"read/{at}.png" for at in range(20)]
    for again, read in zip(*same, strict=True):
        (root / again).parent.mkdir(exist_ok=True)
        (root / again).write_bytes((root / read).read_bytes())
    (root / "read.txt").write_text("".join(f"{name}\t{row}\n" for each in same for name in each))

    pages = take(store, files(root, group_pattern=r"(?:checked|read)/(\d+)\."), tmp_path / "pages")

    held_out = {f"again/{page.group}.png" for page in every(pages, "val", "test")}
    assert not held_out & {page.image for page in every(pages, "train")}


def test_a_line_that_people_labelled_reads_as_they_say(store: Store, tmp_path: Path) -> None:
    root = tmp_path / "data"
    others = {f"read/{at}.png": [f"READ {at}", "TOTAL"] for at in range(9)}
    write_pages(root, "checked.txt", {"checked/0.png": ["TEXT 0", "TOTAL"]})
    write_pages(root, "read.txt", others)
    write_pages(root, "val.txt", VAL)
    write_pages(root, "test.txt", TEST)
    line = decode_image((root / "checked/0.png").read_bytes(), max_pixels=10**6)[40:]
    for image in others:
        page = decode_image((root / image).read_bytes(), max_pixels=10**6)
        page[40:] = line
        cv2.imwrite(str(root / image), page)
    rows = (root / "read.txt").read_text()
    (root / "read.txt").write_text(rows.replace("TOTAL", "T0TAL"))
    labels = replace(files(root), val="val.txt", test="test.txt")
    made = prepare(store, root, labels=labels)

    crops = prepare_crops(store, pages_key=made.key, name="lines", limits=LIMITS)

    lines = open_line_snapshot(download_folder(store, prefix=crops.key, folder=tmp_path / "lines"))
    texts = list(lines.values("text", "train"))
    assert "TOTAL" in texts
    assert "T0TAL" not in texts
    assert sum(text.startswith("READ") for text in texts) == len(others)


def test_other_tools_are_not_given_them(store: Store, root: Path, tmp_path: Path) -> None:
    pages = take(store, files(root), tmp_path / "pages")

    written = export_pages(pages, tmp_path / "out", kind="paddleocr")

    rows = [row for file in written for row in file.read_text().splitlines()]
    assert len(rows) == len(CHECKED)
    assert not any("READ" in row for row in rows)


def test_nobody_is_asked_whether_their_labels_are_right(
    store: Store, root: Path, tmp_path: Path
) -> None:
    pages = take(store, files(root), tmp_path / "pages")

    doubted = [crop.text for split in SPLITS for crop, _ in crops_of_pages(pages, split)]

    assert len(doubted) == LINES * len(CHECKED)
    assert not any("READ" in text for text in doubted)


def test_a_pattern_must_fit_what_people_labelled(root: Path) -> None:
    with pytest.raises(BadData, match=r"gives no image a group, .* not 'checked/0\.png'"):
        list(files(root, group_pattern="^(read)/").read())


def test_they_are_no_reason_to_retrain(root: Path) -> None:
    alone = PageLabelFiles("paddleocr", root, "checked.txt")

    assert list_rows(files(root).read()).tolist() == list_rows(alone.read()).tolist()


def test_they_may_be_all_that_is_learnt_from(store: Store, root: Path, tmp_path: Path) -> None:
    write_pages(root, "val.txt", VAL)
    labels = replace(files(root), train="", val="val.txt", test="checked.txt")

    pages = take(store, labels, tmp_path / "pages", bad=0.5)

    assert {page.source for page in every(pages, "train")} == {"read.txt (unchecked)/"}
    assert len(of_people(pages.samples("train"))) == len(READ)


def test_without_checked_pages_nothing_is_left_to_judge_by(
    store: Store, root: Path, tmp_path: Path
) -> None:
    with pytest.raises(BadData, match=r"the (val|test) split is empty"):
        take(store, replace(files(root), train=""), tmp_path / "pages")

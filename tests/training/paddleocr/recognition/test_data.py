"""What PaddleOCR's trainer would stumble over is refused with counts; the rest is written."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ocr.dataset.lines.snapshot import LineSnapshot, open_line_snapshot
from ocr.errors import BadData, BadInput
from ocr.image.pixels import decode_image
from ocr.models.charset import Charset
from ocr.models.recogniser_spec import LineSpec
from ocr.store import open_store
from ocr.store.folder import download_folder
from tests.training.recognition.toy_lines import make_line_snapshot
from training.paddleocr.config import JobFiles
from training.paddleocr.measured import Measured
from training.paddleocr.recognition.data import (
    check_frames,
    check_scale,
    check_texts,
    check_widths,
    write_files,
)

TEXTS = {"train": ["12", "345", "67890", "1 2"], "val": ["5", "77"], "test": ["1"]}


def snapshot_of(folder: Path, texts: dict[str, list[str]]) -> LineSnapshot:
    named = make_line_snapshot(folder / "made", texts=texts)
    copy = folder / "copy"
    download_folder(open_store(named["store"]), prefix=named["snapshot"], folder=copy)
    return open_line_snapshot(copy)


def files_in(folder: Path) -> JobFiles:
    return JobFiles(
        data=folder,
        train=folder / "train.txt",
        val=folder / "val.txt",
        charset=folder / "charset.txt",
        output=folder / "output",
    )


def test_label_files_name_every_line_and_its_pixels(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, TEXTS)
    files = files_in(tmp_path / "data")

    write_files(snapshot, files)

    rows = [row.split("\t") for row in files.train.read_text().splitlines()]
    assert sorted(text for _, text in rows) == sorted(TEXTS["train"])
    assert len(files.val.read_text().splitlines()) == 2
    assert files.charset.read_text() == "".join(f"{each}\n" for each in " 01234567890"[:-1])
    for (name, text), (sample, image) in zip(rows, snapshot.images("train"), strict=True):
        assert text == sample.text
        found = decode_image((files.data / name).read_bytes(), max_pixels=10**6)
        np.testing.assert_array_equal(found, image)


def test_files_of_an_earlier_run_are_taken(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, TEXTS)
    files = files_in(tmp_path / "data")
    write_files(snapshot, files)
    (files.data / "train/0000000.png").write_bytes(b"as it was")

    write_files(snapshot, files)

    assert (files.data / "train/0000000.png").read_bytes() == b"as it was"


TOO_LONG = (
    "1 of 4 texts of the train split are empty or longer than 4 characters, such as '67890' of 5; "
    "raise training.max_text_length"
)


@pytest.mark.parametrize(
    ("longest", "batch_size", "said"),
    [
        (4, 1, TOO_LONG),
        (9, 5, "The train split has 4 lines; PaddleOCR's trainer needs at least 5, a batch"),
    ],
)
def test_texts_that_do_not_fit_are_counted(
    tmp_path: Path, longest: int, batch_size: int, said: str
) -> None:
    snapshot = snapshot_of(tmp_path, TEXTS)

    with pytest.raises(BadData, match=re.escape(said)):
        check_texts(snapshot, longest=longest, batch_size=batch_size)


def test_an_empty_split_is_refused() -> None:
    def values(_: str, split: str) -> list[str]:
        return TEXTS["train"] if split == "train" else []

    snapshot: Any = SimpleNamespace(values=values)

    with pytest.raises(BadData, match=r"The val split has 0 lines; .* needs at least 1$"):
        check_texts(snapshot, longest=9, batch_size=1)


def test_characters_outside_the_charset_are_counted(tmp_path: Path) -> None:
    whole = snapshot_of(tmp_path, TEXTS)
    charset = Charset(tuple("0123456789"))
    snapshot = LineSnapshot(whole.folder, whole.manifest, charset, whole.to_sample, whole.read)

    with pytest.raises(
        BadData, match="1 characters of the train split's texts cannot be learnt: '"
    ):
        check_texts(snapshot, longest=9, batch_size=1)


@pytest.mark.parametrize(
    ("frames", "if_wider", "advice"),
    [
        (7, 14, "px) 7; set training.width_px to 128 or more"),
        (7, 7, "px) 7; this net gives no more to a wider one: take another"),
    ],
)
def test_lines_with_fewer_frames_than_ctc_needs_are_counted(
    tmp_path: Path, frames: int, if_wider: int, advice: str
) -> None:
    texts = {"train": ["1234567", "12344567", "11111"], "val": ["5"], "test": ["1"]}
    snapshot = snapshot_of(tmp_path, texts)
    measured = Measured(steps=1, frames=frames, frames_if_twice_as_wide=if_wider)
    said = "2 of 3 texts of the train split, such as '"

    with pytest.raises(BadData, match=f"{said}.*up to 9 frames .*{re.escape(advice)}"):
        check_frames(snapshot, measured, width_px=96)


def test_lines_with_just_enough_frames_are_learnt(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, {"train": ["1223"], "val": ["55555"], "test": ["1"]})

    check_frames(snapshot, Measured(1, 5, 10), width_px=96)


@pytest.mark.parametrize("character", ["\t", "\r", "\n", "\x85"])
def test_characters_that_its_files_cannot_hold_are_named(character: str) -> None:
    text = f"1{character}2"
    snapshot: Any = SimpleNamespace(
        values=lambda *_: [text], charset=Charset(("\t", "\n", "\r", "1", "2", "\x85"))
    )

    with pytest.raises(BadData, match=f"learnt: {re.escape(repr(character))} in 1; they"):
        check_texts(snapshot, longest=9, batch_size=1)


def line_spec(width_px: int) -> LineSpec:
    return LineSpec("line", 48, width_px, frame_px=8, width_multiple_px=16)


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        (Measured(1, 40, 40), "96 is not allowed; the net gives such a line 40 frames while it"),
        (Measured(1, 40, 40), "and 12 when it reads; set training.width_px to 320"),
        (Measured(1, 24, 48), "24 frames while it learns and 12 when it reads; take another net"),
    ],
)
def test_a_net_that_learns_at_another_scale_than_it_reads_is_refused(
    measured: Measured, said: str
) -> None:
    with pytest.raises(BadInput, match=re.escape(said)):
        check_scale(measured, line_spec(96))


@pytest.mark.parametrize("measured", [Measured(1, 40, 40), Measured(1, 40, 80)])
def test_a_net_that_learns_at_the_scale_it_reads_is_none_to_refuse(measured: Measured) -> None:
    check_scale(measured, line_spec(320))


def with_sizes(widths: list[int], heights: list[int]) -> Any:
    known = {"width": widths, "height": heights}
    return SimpleNamespace(values=lambda key, _: known[key])


def test_a_width_that_most_lines_are_squeezed_to_is_refused() -> None:
    snapshot = with_sizes([100, 200, 300], [16, 32, 32])
    said = "3 of 3 lines of the train split are wider than 100 px (training.width_px) at 32 px"

    with pytest.raises(BadData, match=re.escape(said) + r".* training\.width_px to 208 or more"):
        check_widths(snapshot, height_px=32, width_px=100)


def test_a_few_wide_lines_are_learnt_squeezed() -> None:
    check_widths(with_sizes([100, 90, 300], [32, 32, 32]), height_px=32, width_px=100)

"""Lines to learn from are stored with what surrounds them, and shown without."""

from pathlib import Path

import numpy as np

from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.pages.crops import cut_region, cut_surroundings
from ocr.dataset.pages.region import Region
from ocr.image.pixels import decode_image
from ocr.store import Store
from tests.ocr.dataset.pages.invoices import cut, fetch, write_invoices


def test_train_lines_go_on_round_their_text(store: Store, tmp_path: Path) -> None:
    snapshot = cut_lines(store, tmp_path)
    around = {
        split: {
            (image.shape[0] - 2 * around_px, around_px)
            for line, image, around_px in snapshot.images_with_surroundings(split)
            if line.text == "Date"
        }
        for split in ("train", "test")
    }

    assert around == {"train": {(38, 13)}, "test": {(38, 0)}}


def test_a_line_is_shown_without_its_surroundings(store: Store, tmp_path: Path) -> None:
    snapshot = cut_lines(store, tmp_path)

    held_out, learnt = (
        next(image for line, image in snapshot.images(split) if line.text == "Date")
        for split in ("test", "train")
    )
    sample = next(line for line in snapshot.samples("train") if line.text == "Date")

    assert learnt.shape == held_out.shape
    assert np.abs(learnt.astype(int) - held_out).mean() < 3
    np.testing.assert_array_equal(snapshot.image(sample), learnt)
    whole = decode_image(snapshot.image_bytes(sample), max_pixels=sample.width * sample.height)
    assert whole.shape[0] > learnt.shape[0]


def test_an_upright_line_is_laid_on_its_side_as_it_is_alone() -> None:
    page = np.full((90, 90, 3), 255, np.uint8)
    page[30:50, 40:52] = np.linspace(0, 200, 20, dtype=np.uint8)[:, None, None]
    upright = Region(((40, 30), (52, 30), (52, 50), (40, 50)), "I")

    alone, wide = cut_region(page, upright), cut_surroundings(page, upright)

    assert alone.shape[:2] == (14, 22)
    assert wide.shape[:2] == (24, 32)
    np.testing.assert_array_equal(wide[5:-5, 5:-5], alone)


def cut_lines(store: Store, tmp_path: Path) -> LineSnapshot:
    write_invoices(tmp_path / "data")
    return fetch(store, cut(store, tmp_path / "data"), tmp_path)

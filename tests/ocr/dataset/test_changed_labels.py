"""Labels and tar files that change while they are read: what comes of it is kept for nobody."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from ocr.dataset.lines.label import LineRow
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.quarantine import Rejection
from ocr.errors import BadData
from ocr.image.pixels import encode_png
from ocr.store import open_store
from tests.ocr.dataset.lines.preparing import prepare
from tests.ocr.dataset.roots.packing import write_tar
from tests.ocr.image.pictures import write_labels

LABELS = "rec_train.txt"


class CorrectedMeanwhile(LineLabelFiles):
    """Label files that somebody corrects right after they were surveyed."""

    def read(self) -> Iterator[LineRow | Rejection]:
        yield from super().read()
        assert isinstance(self.root, Path)
        labels = self.root / LABELS
        labels.write_text(labels.read_text("utf-8").replace("\tT", "\tX"), encoding="utf-8")


def test_labels_that_change_while_they_are_read_are_refused(tmp_path: Path) -> None:
    root, store = tmp_path / "data", open_store(str(tmp_path / "store"))
    write_labels(root, LABELS, {f"{n:02}.png": f"T{n:03}" for n in range(40)})

    with pytest.raises(BadData, match=r"the label files or images in .* changed while"):
        prepare(store, root, labels=CorrectedMeanwhile("paddleocr", root, LABELS))

    assert list(store.list("datasets")) == []


class JoinedMeanwhile(LineLabelFiles):
    """A folder that another image joins right after it was surveyed."""

    def read(self) -> Iterator[LineRow | Rejection]:
        yield from super().read()
        assert isinstance(self.root, Path)
        write_labels(self.root, "unused.txt", {"LATE.png": "LATE"})


def test_images_that_join_a_folder_whose_names_are_texts_are_refused(tmp_path: Path) -> None:
    root, store = tmp_path / "data", open_store(str(tmp_path / "store"))
    write_labels(root, "unused.txt", {f"T{n:03}.png": "T" for n in range(40)})

    with pytest.raises(BadData, match=r"the label files or images in .* changed while"):
        prepare(store, root, labels=JoinedMeanwhile("folder", root))

    assert list(store.list("datasets")) == []


class AwayMeanwhile(LineLabelFiles):
    """Images of which one is taken away right after they were surveyed."""

    def read(self) -> Iterator[LineRow | Rejection]:
        yield from super().read()
        assert isinstance(self.root, Path)
        if (self.root / "07.png").exists():
            (self.root / "07.png").rename(self.root / "away")


def test_image_that_was_away_while_it_was_read_is_looked_for_again(tmp_path: Path) -> None:
    root, store = tmp_path / "data", open_store(str(tmp_path / "store"))
    write_labels(root, LABELS, {f"{n:02}.png": f"T{n:03}" for n in range(40)})

    without = prepare(store, root, labels=AwayMeanwhile("paddleocr", root, LABELS))
    (root / "away").rename(root / "07.png")
    whole = prepare(store, root, labels=LineLabelFiles("paddleocr", root, LABELS))
    again = prepare(store, root, labels=LineLabelFiles("paddleocr", root, LABELS))

    assert without.counts["quarantined"] == 1
    assert (whole.cached, whole.counts["quarantined"]) == (False, 0)
    assert (again.cached, again.digest) == (True, whole.digest)


class PackedAnewMeanwhile(LineLabelFiles):
    """A tar file that somebody writes anew right after it was surveyed."""

    def read(self) -> Iterator[LineRow | Rejection]:
        yield from super().read()
        assert isinstance(self.root, Path)
        write_tar(self.root, pictures(seed=1))


def test_a_tar_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    root, store = write_tar(tmp_path / "a.tar", pictures(seed=0)), open_store(str(tmp_path / "s"))
    (tmp_path / LABELS).write_text("".join(f"{name}\tT\n" for name in pictures(seed=0)))

    with pytest.raises(BadData, match=r"the label files or images in .*a\.tar changed while"):
        prepare(store, root, labels=PackedAnewMeanwhile("paddleocr", root, LABELS))

    assert list(store.list("datasets")) == []


def test_two_folders_of_a_tar_file_with_labels_beside_it_are_two_sets(tmp_path: Path) -> None:
    members = {
        f"{folder}/{name}": content
        for folder, seed in (("may", 0), ("june", 1))
        for name, content in pictures(seed=seed).items()
    }
    root, store = write_tar(tmp_path / "a.tar", members), open_store(str(tmp_path / "s"))
    (tmp_path / LABELS).write_text("".join(f"{name}\tT\n" for name in pictures(seed=0)))

    may, june = (
        prepare(store, root, labels=LineLabelFiles("paddleocr", root / folder, LABELS))
        for folder in ("may", "june")
    )

    assert not june.cached
    assert june.digest != may.digest


def pictures(*, seed: int) -> dict[str, bytes]:
    """Forty lines of noise, no two alike."""
    noise = np.random.default_rng(seed).integers(0, 256, (40, 24, 90, 3), np.uint8)
    return {f"{number:02}.png": encode_png(image) for number, image in enumerate(noise)}

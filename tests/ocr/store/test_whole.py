"""Files and folders appear whole or not at all."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ocr.errors import ArtifactExists
from ocr.store.whole import folder_written_whole, written_whole


def test_a_private_file_is_so_from_its_first_moment(tmp_path: Path) -> None:
    with written_whole(tmp_path / "password", mode=0o600):
        (part,) = tmp_path.iterdir()
        assert part.stat().st_mode & 0o777 == 0o600

    assert (tmp_path / "password").stat().st_mode & 0o777 == 0o600


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    folder = tmp_path / "made" / "out"

    with folder_written_whole(folder) as part:
        (part / "labels.txt").write_text("1")
        assert not folder.exists()

    assert [path.name for path in folder.iterdir()] == ["labels.txt"]
    assert list(folder.parent.iterdir()) == [folder]


def test_of_a_folder_that_fails_nothing_stays(tmp_path: Path) -> None:
    def run_full() -> None:
        raise OSError(28, "full")

    with pytest.raises(OSError, match="full"):
        write(tmp_path / "out", meanwhile=run_full)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["folder", "link"])
def test_what_is_there_is_kept(tmp_path: Path, place: str) -> None:
    folder = tmp_path / "out"
    folder.mkdir() if place == "folder" else folder.symlink_to("nowhere")

    with pytest.raises(ArtifactExists, match="out is there already"):
        write(folder)

    assert list(tmp_path.iterdir()) == [folder]


def test_the_folder_of_a_faster_run_is_kept(tmp_path: Path) -> None:
    folder = tmp_path / "out"

    with pytest.raises(ArtifactExists, match="out is there already"):
        write(folder, meanwhile=lambda: write(folder, text="theirs"))

    assert (folder / "labels.txt").read_text() == "theirs"
    assert list(tmp_path.iterdir()) == [folder]


def write(folder: Path, *, text: str = "", meanwhile: Callable[[], None] = lambda: None) -> None:
    with folder_written_whole(folder) as part:
        (part / "labels.txt").write_text(text)
        meanwhile()

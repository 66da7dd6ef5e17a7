"""Label files that are links, pipes and devices."""

import os
from pathlib import Path

import pytest

from ocr.dataset.roots import FolderRoot
from ocr.errors import ArtifactNotFound, BadInput


@pytest.fixture
def root(tmp_path: Path) -> FolderRoot:
    """A folder of labels beside a file that is none of them."""
    folder = tmp_path / "labels"
    (folder / "inner").mkdir(parents=True)
    (folder / "train.txt").write_text("a.png\tA\n")
    (tmp_path / "secret").write_text("of somebody else")
    return FolderRoot(folder)


@pytest.mark.parametrize("name", ["link.txt", "inner/link.txt", "out/secret"])
def test_a_link_that_leads_out_of_the_folder_is_refused(root: FolderRoot, name: str) -> None:
    if name == "out/secret":
        (root.path / "out").symlink_to(root.path.parent)
    else:
        (root.path / name).symlink_to(root.path.parent / "secret")

    with pytest.raises(BadInput, match=r"is a link that leads out of its folder: name the"):
        root.open_file(name)


def test_so_is_one_in_a_folder_that_the_project_names_elsewhere(root: FolderRoot) -> None:
    elsewhere = root.path.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "link.txt").symlink_to(root.path.parent / "secret")
    (root.path.parent / "again").symlink_to(root.path)
    (root.path / "link.txt").symlink_to(root.path.parent / "secret")

    for name in ("../elsewhere/link.txt", str(elsewhere / "link.txt"), "../again/link.txt"):
        with pytest.raises(BadInput, match="is a link that leads out of its folder"):
            root.open_file(name)


def test_what_was_swapped_for_a_link_is_not_read(
    root: FolderRoot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at where a name leads and the opening of it."""
    real = os.path.realpath

    def swap(path: os.PathLike[str] | str) -> str:
        found = real(path)
        if str(path).endswith("inner/swapped.txt"):
            (root.path / "inner").rename(root.path / "gone")
            (root.path / "inner").symlink_to(root.path.parent)
        return found

    (root.path / "inner" / "swapped.txt").write_text("labels")
    (root.path.parent / "swapped.txt").write_text("of somebody else")
    monkeypatch.setattr(os.path, "realpath", swap)

    with pytest.raises(BadInput, match="is a link that leads out of its folder"):
        root.open_file("inner/swapped.txt")


def test_links_within_and_files_named_elsewhere_are_read(root: FolderRoot) -> None:
    (root.path / "inner" / "link.txt").symlink_to("../train.txt")
    (root.path.parent / "linked").symlink_to(root.path)
    names = ("inner/link.txt", "../secret", str(root.path.parent / "secret"))

    with root.open_file(names[0]) as within, root.open_file(names[1]) as beside:
        read = [within.read(), beside.read()]
    with (
        root.open_file(names[2]) as absolute,
        FolderRoot(root.path.parent / "linked").open_file("train.txt") as linked,
    ):
        read += [absolute.read(), linked.read()]

    labels, elsewhere = b"a.png\tA\n", b"of somebody else"
    assert read == [labels, elsewhere, elsewhere, labels]


def test_a_pipe_or_a_device_is_no_label_file(root: FolderRoot) -> None:
    os.mkfifo(root.path / "pipe.txt")

    with pytest.raises(BadInput, match=r"pipe\.txt is no plain file"):
        root.open_file("pipe.txt")
    with pytest.raises(BadInput, match="is no plain file"):
        root.open_file("/dev/zero")


def test_what_cannot_be_opened_is_said_in_a_line(root: FolderRoot) -> None:
    (root.path / "loop.txt").symlink_to("loop.txt")

    for name in ("loop.txt", "x" * 5000, "a\0b"):
        with pytest.raises(BadInput, match="cannot be read as a label file") as refusal:
            root.open_file(name)
        assert len(str(refusal.value)) < 500


def test_a_folder_is_no_label_file(root: FolderRoot) -> None:
    with pytest.raises(ArtifactNotFound, match="no label file"):
        root.open_file("inner")

"""What tells the content of a file from any other, wherever it lies."""

import hashlib
import tarfile
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from ocr.batch.source import InputFile, Source, StoreSource, Unreadable, find_source
from ocr.dataset.roots import tar as tar_root
from ocr.dataset.roots.tar_index import TarIndex, index_tar
from ocr.errors import ArtifactNotFound, BadInput
from ocr.store import S3Credentials, open_store
from ocr.store.protocol import Entry
from tests.minio_server import minio_server
from tests.ocr.batch.toy_batch import NO_KEYS

__all__ = ["minio_server"]

MOST = 2_000_000
CONTENTS = {"a.png": b"first", "b/c.PDF": b"second", "b/notes.txt": b"none", "d.jpg": b"x" * 99}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in CONTENTS.items():
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (tmp_path / "source" / ".hidden.png").write_bytes(b"no")
    return tmp_path / "source"


def listed(source: Source) -> list[InputFile]:
    return list(source.list(max_bytes=MOST))


def expected() -> list[InputFile]:
    return [
        InputFile(name, len(content), hashlib.sha256(content).hexdigest())
        if name != "b/notes.txt"
        else InputFile(name, 0, "")
        for name, content in sorted(CONTENTS.items(), key=lambda each: ("/" in each[0], each[0]))
    ]


def test_a_folder_and_a_tar_file_of_it_list_the_same(folder: Path) -> None:
    with tarfile.open(folder.with_suffix(".tar"), "w") as tar:
        tar.add(folder, arcname="scans")

    in_folder = listed(find_source(str(folder), s3=NO_KEYS))
    in_tar = listed(find_source(f"{folder}.tar/scans", s3=NO_KEYS))

    assert in_folder == expected()
    assert in_tar == in_folder


def test_a_tar_file_is_indexed_once_where_it_can_be_interrupted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tarfile.open(folder.parent / "new.tar", "w") as tar:
        tar.add(folder, ".")
    readers: list[threading.Thread] = []

    def index(path: Path, *, encoding: str) -> TarIndex:
        readers.append(threading.current_thread())
        return index_tar(path, encoding=encoding)

    monkeypatch.setattr(tar_root, "index_tar", index)

    files = listed(find_source(str(folder.parent / "new.tar"), s3=NO_KEYS))

    assert files == expected()
    assert readers == [threading.main_thread()]


def test_what_was_listed_is_read(folder: Path) -> None:
    source = find_source(str(folder), s3=NO_KEYS)
    first, *_ = listed(source)

    assert source.read(first, max_bytes=MOST) == b"first"


def test_a_file_that_was_changed_meanwhile_is_not_read(folder: Path) -> None:
    source = find_source(str(folder), s3=NO_KEYS)
    first, *_ = listed(source)
    (folder / "a.png").write_bytes(b"other")

    with pytest.raises(Unreadable, match="was changed after it was listed") as caught:
        source.read(first, max_bytes=MOST)

    assert caught.value.reason == "changed"


def test_a_file_that_is_too_large_is_listed_but_never_opened(folder: Path) -> None:
    (folder / "a.png").write_bytes(b"x" * (MOST + 1))
    source = find_source(str(folder), s3=NO_KEYS)
    first, *_ = listed(source)

    with pytest.raises(Unreadable, match=f"has {MOST + 1} bytes") as caught:
        source.read(first, max_bytes=MOST)

    assert first == InputFile("a.png", 0, "")
    assert caught.value.reason == "too_large"


def test_a_link_out_of_the_folder_is_refused(folder: Path) -> None:
    (folder / "a.png").unlink()
    (folder / "a.png").symlink_to("/etc/hostname")
    source = find_source(str(folder), s3=NO_KEYS)

    with pytest.raises(Unreadable) as caught:
        source.read(listed(source)[0], max_bytes=MOST)

    assert caught.value.reason == "outside_root"


def test_linked_folders_that_lead_out_are_named(folder: Path) -> None:
    (folder.parent / "shared" / "2024" / "05").mkdir(parents=True)
    (folder / "b" / "shared").symlink_to(folder.parent / "shared")
    (folder / "again").symlink_to(folder / "b")

    assert listed(find_source(str(folder), s3=NO_KEYS)) == [
        *expected(),
        InputFile("b/shared/", 0, ""),
    ]


def test_markers_of_folders_in_a_bucket_are_no_files(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [Entry(key, 1, 0.0, "e") for key in ("", "scans/", "scans/.x/", "scans/a.png")]
    store = SimpleNamespace(entries=lambda _: iter(entries))
    monkeypatch.setattr("ocr.batch.source._open_store", lambda *_: store)

    assert listed(StoreSource("s3://archive", NO_KEYS)) == [InputFile("scans/a.png", 1, "e")]


@pytest.mark.parametrize(
    ("written", "error", "said"),
    [
        ("/nowhere/at/all", ArtifactNotFound, "no folder and no tar file /nowhere/at/all"),
        ("ftp://key:secret@host/x", BadInput, "starts with ftp://"),
        ("s3://key:secret@bucket/x", BadInput, "holds keys"),
        ("s3://bucket/x", BadInput, "needs MINIO_ENDPOINT"),
    ],
)
def test_what_is_no_source_is_refused_and_shows_no_secret(
    written: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said) as caught:
        find_source(written, s3=NO_KEYS)

    assert "secret" not in str(caught.value)


def test_objects_are_known_by_their_etag_and_read_only_as_listed(
    minio_server: S3Credentials, tmp_path: Path
) -> None:
    uri = f"s3://ocrline-batch/{tmp_path.name}"
    store = open_store(uri, s3=minio_server)
    for name, content in CONTENTS.items():
        store.compare_and_swap(name, content, expected=None)
    source = find_source(uri, s3=minio_server)

    found = listed(source)
    by_name = {file.path: file for file in found}
    read = source.read(by_name["a.png"], max_bytes=MOST)
    store.remove("d.jpg")
    store.put_bytes("d.jpg", b"y" * 99)

    assert sorted(by_name) == sorted(CONTENTS)
    assert read == b"first"
    assert [file.size for file in found] == [len(CONTENTS[file.path]) for file in found]
    with pytest.raises(Unreadable) as changed:
        source.read(by_name["d.jpg"], max_bytes=MOST)
    with pytest.raises(Unreadable) as large:
        source.read(by_name["d.jpg"], max_bytes=98)
    assert (changed.value.reason, large.value.reason) == ("changed", "too_large")

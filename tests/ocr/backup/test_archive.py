"""An archive: whole or none, and what a damaged or hostile one is told."""

import json
import os
import resource
import shutil
import subprocess
import tarfile
from pathlib import Path

import pyarrow as pa
import pytest

from ocr.backup.head import HEAD, Head, parse_head
from ocr.backup.reading import ArchiveReader
from ocr.backup.writing import new_archive
from ocr.errors import ArtifactExists, BadData, BadInput
from tests.ocr.backup.archives import FILES, forge, head_of, member, read, verify, write


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tar.zst")

    assert read(path) == FILES
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not shutil.which("zstd"), reason="no zstd on this machine")
def test_tar_and_sha256sum_read_it_without_us(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tar.zst")

    subprocess.run(["tar", "--zstd", "-xf", path, "-C", tmp_path], check=True)
    said = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )

    assert said.stdout.count(b": OK\n") == len(FILES) + 1


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_an_archive_that_was_cut_off_is_refused(tmp_path: Path, share: float) -> None:
    path = write(tmp_path / "a.tar.zst", {"store/a.bin": os.urandom(500_000)})
    os.truncate(path, int(path.stat().st_size * share))

    with pytest.raises(BadData, match=r"cut off|ends"):
        read(path)


def test_every_changed_byte_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tar.zst", {"store/a.bin": os.urandom(2000)})
    whole = path.read_bytes()

    for at in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[at] ^= 0x10
        path.write_bytes(damaged)
        try:
            found = read(path)
        except (BadData, BadInput):
            continue
        assert found["store/a.bin"] in whole  # a byte that means nothing, as one of a checksum


def test_a_file_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.zst"
    path.write_text("last week's")

    with pytest.raises(ArtifactExists, match="a backup replaces nothing"):
        write(path)

    assert path.read_text() == "last week's"


def test_an_interrupted_backup_is_no_file_and_the_next_one_takes_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.zst"
    if not (child := os.fork()):
        with new_archive(path, head_of(FILES)) as archive:
            archive.add("store/a.bin", [os.urandom(9_000_000)], size=9_000_000)
            os._exit(9)  # as a kill: nothing is tidied
    os.waitpid(child, 0)

    left = [each.name for each in tmp_path.iterdir()]
    write(path)

    assert left == ["a.tar.zst.part"]
    assert read(path) == FILES


def test_two_backups_do_not_write_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.zst"
    with new_archive(path, head_of({})), pytest.raises(ArtifactExists, match="Another backup"):
        write(path)

    assert read(path) == {}


def test_what_turns_out_larger_than_said_is_no_backup(tmp_path: Path) -> None:
    with (
        pytest.raises(BadData, match="More was written"),
        new_archive(tmp_path / "a.tar.zst", head_of({})) as archive,
    ):
        archive.add("store/a.bin", [b"more"], size=4)

    assert not (tmp_path / "a.tar.zst").exists()


HOSTILE = {
    "a link": member("store/a.bin", b"", kind=tarfile.SYMTYPE, link="/etc/passwd"),
    "a hard link": member("store/a.bin", b"", kind=tarfile.LNKTYPE, link="../../x"),
    "a folder": member("store/a.bin", b"", kind=tarfile.DIRTYPE),
    "a device": member("store/a.bin", b"", kind=tarfile.CHRTYPE),
    "an extended header": member("store/a.bin", b"20 path=/etc/passwd\n", kind=tarfile.XHDTYPE),
    "a way up": member("store/../../etc/cron.d/x.sh", b"boom"),
    "an absolute name": member("/etc/passwd", b"boom"),
    "a backslash": member("store\\a.bin", b"boom"),
    "a name twice": member("store/a.bin", b"one") + member("store/a.bin", b"two"),
    "a head twice": member(HEAD, b"{}"),
    "a sparse file": member("store/a.bin", b"", kind=tarfile.GNUTYPE_SPARSE),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_archive_is_refused(tmp_path: Path, what: str) -> None:
    path = forge(tmp_path / "a.tar.zst", [HOSTILE[what]])

    with pytest.raises(BadData):
        read(path)


def test_a_long_name_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 40
    path = tmp_path / "a.tar.zst"
    with pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd") as stream:
        head = json.dumps(vars(head_of(FILES))).encode()
        stream.write(member(HEAD, head) + info.tobuf(tarfile.GNU_FORMAT) + bytes(4096))

    with pytest.raises(BadData, match="a name of 1099511627776 bytes"):
        read(path)


def test_a_bomb_is_refused_when_it_says_more_than_the_head_does(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.zst"
    with pa.CompressedOutputStream(pa.OSFile(str(path), "wb"), "zstd") as stream:
        stream.write(member(HEAD, json.dumps(vars(head_of(FILES))).encode()))
        info = tarfile.TarInfo("store/zeros.bin")
        info.size = 1 << 40
        stream.write(info.tobuf(tarfile.GNU_FORMAT))
        for _ in range(64):
            stream.write(bytes(1 << 20))
    assert path.stat().st_size < 100_000

    with pytest.raises(BadData, match="holds more than the 3 files of 3007000 bytes"):
        read(path)


def test_many_small_files_beyond_what_the_head_says_are_refused(tmp_path: Path) -> None:
    files = [member(f"store/{number}.bin", b"") for number in range(20)]
    path = forge(tmp_path / "a.tar.zst", files, head_of({}, files=3))

    with pytest.raises(BadData, match="holds more than the 3 files"):
        read(path)


def test_an_archive_of_a_newer_release_is_refused(tmp_path: Path) -> None:
    newer = Head(**{**vars(head_of({})), "format": 2, "release": "9.0"})
    path = forge(tmp_path / "a.tar.zst", [], newer)

    with pytest.raises(BadInput, match=r"written by a newer ocrline, 9\.0: update this one"):
        ArchiveReader(path)


@pytest.mark.parametrize(
    "said", [{"files": -1}, {"bytes": -5}, {"files": True}, {"bytes": 10**300}]
)
def test_a_head_with_senseless_numbers_is_refused(tmp_path: Path, said: dict[str, int]) -> None:
    path = forge(tmp_path / "a.tar.zst", [], head_of({}, **said))

    with pytest.raises(BadData, match=r"backup\.json says"):
        ArchiveReader(path)


HEADS: dict[str, dict[str, object]] = {
    "markup": {"created": "[/nope]"},
    "half a character": {"created": "\ud800"},
    "an escape in a time": {"created": "2026-11-24\x1b10:00"},
    "no time": {"created": {"a": 1}},
    "an escape": {"release": "\x1b[31mRED"},
    "an escape of a newer release": {"release": "\x1b[31mRED", "format": 9},
    "an escape as a key": {"\x1b[31mRED": 1},
    "another database": {"database": "\x1b[31mfoo"},
    "databases": {"database": ["sqlite"]},
    "secrets in words": {"secrets": "\x1b[31myes"},
}


@pytest.mark.parametrize("what", HEADS)
def test_a_head_that_says_what_none_of_ours_does_is_refused_and_not_quoted_as_it_is(
    tmp_path: Path, what: str
) -> None:
    with pytest.raises((BadData, BadInput)) as refusal:
        parse_head(json.dumps({**vars(head_of({})), **HEADS[what]}).encode(), source="a")

    assert str(refusal.value).isprintable()


@pytest.mark.parametrize("data", [b"[" * 60_000, b'{"format":1,"a":' + b"[" * 60_000, b'"x"'])
def test_a_head_that_is_no_document_is_refused(data: bytes) -> None:
    with pytest.raises(BadData, match="cannot be read"):
        parse_head(data, source="a")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no zstd", bytes(5000)])
def test_another_file_is_no_backup(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)

    with pytest.raises(BadData):
        ArchiveReader(path)


def test_an_archive_that_changes_after_it_was_checked_is_noticed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tar.zst")
    reader = ArchiveReader(path)
    verify(reader)
    write(tmp_path / "b.tar.zst", {**FILES, "store/empty/file.json": b"other"}).replace(path)

    with pytest.raises(BadData, match="was changed while it was restored"):
        list(reader.members())


def test_memory_does_not_grow_with_a_file(tmp_path: Path) -> None:
    size, piece = 400 << 20, bytes(1 << 20)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    with new_archive(tmp_path / "a.tar.zst", head_of({}, files=1, bytes=size)) as archive:
        archive.add("store/a.bin", (piece for _ in range(400)), size=size)
    reader = ArchiveReader(tmp_path / "a.tar.zst")
    verify(reader)
    sizes = [sum(map(len, member.pieces())) for member in reader.members()]

    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert sizes == [size]
    assert grown_kib < 100 << 10

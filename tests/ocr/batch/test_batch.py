"""A batch has every line once, whatever is killed, added or run at the same time."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from ocr.batch import batch as module
from ocr.batch.batch import Progress
from ocr.batch.shard import cut_shards
from ocr.errors import BadInput, ProcessDied
from ocr.image.pixels import encode_png
from tests.ocr.batch.toy_batch import LIMITS, ToyReader, make_reader, read, rows, write_pages
from tests.ocr.image.documents import encrypted_pdf, image_pdf, joined_pdf, make_pdf, tiff
from tests.serving.decoding.hostile_files import pdf_of_pattern
from tests.serving.tiny_pipeline import draw_page

TEXTS = [str(number) for number in range(101, 121)]


@pytest.fixture
def reader(tmp_path: Path) -> ToyReader:
    return make_reader(tmp_path)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    write_pages(tmp_path / "source", TEXTS)
    return tmp_path / "source"


def start(source: Path, folder: Path, moment: str, home: str = "home") -> "subprocess.Popen[str]":
    module = ["-m", "tests.ocr.batch.toy_batch", str(source), str(folder), home, moment]
    return subprocess.Popen([sys.executable, *module], stdout=subprocess.PIPE, text=True)


def test_every_line_is_a_row_with_its_place_and_who_read_it(
    tmp_path: Path, source: Path, reader: ToyReader
) -> None:
    (source / "doc.pdf").write_bytes(image_pdf([draw_page(["7", "88"]), draw_page(["9"])], dpi=200))

    batch = read(source, tmp_path)

    found = rows(tmp_path, batch)
    document = [row for row in found if row["path"] == "doc.pdf"]
    assert [(row["page"], row["line"], row["text"]) for row in document] == [
        (1, 1, "7"),
        (1, 2, "88"),
        (2, 1, "9"),
    ]
    assert {(row["model"], row["version"]) for row in found} == {("pages", "p1")}
    assert sorted(row["text"] for row in found if row["path"] != "doc.pdf") == TEXTS
    assert all(0 < row["confidence"] <= 1 and len(row["polygon"]) == 4 for row in found)
    assert (batch.counts.files, batch.counts.pages, batch.counts.lines) == (21, 22, 23)


def test_a_rerun_reads_nothing_again_and_finds_the_same(
    tmp_path: Path, source: Path, reader: ToyReader
) -> None:
    first = read(source, tmp_path)
    second = read(source, tmp_path)

    assert second.prefix == first.prefix
    assert second.counts == first.counts
    assert (second.read, second.pages_per_s) == (0, None)
    assert sorted(reader.texts()) == TEXTS


def test_after_files_are_added_only_their_shards_are_read_and_no_row_is_twice(
    tmp_path: Path, source: Path, reader: ToyReader
) -> None:
    before = read(source, tmp_path)
    write_pages(source, ["500"])

    after = read(source, tmp_path)

    assert sorted(row["text"] for row in rows(tmp_path, after)) == [*TEXTS, "500"]
    assert sorted(row["text"] for row in rows(tmp_path, before)) == TEXTS
    assert 1 <= after.read <= 2 < after.shards
    assert len(reader.texts()) < 2 * len(TEXTS)


def test_a_file_that_changed_is_read_anew_and_one_that_went_is_no_more(
    tmp_path: Path, source: Path, reader: ToyReader
) -> None:
    read(source, tmp_path)
    (source / "odd" / "101.png").write_bytes(encode_png(draw_page(["999"])))
    (source / "even" / "102.png").unlink()

    batch = read(source, tmp_path)

    assert sorted(row["text"] for row in rows(tmp_path, batch)) == [*TEXTS[2:], "999"]


@pytest.mark.parametrize("change", ["away", "changed"])
def test_what_was_not_met_as_it_was_listed_is_read_by_the_next_run(
    tmp_path: Path, source: Path, reader: ToyReader, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    page = source / "odd" / "101.png"
    content = page.read_bytes()

    def disturb(*given: Any, **named: Any) -> Any:
        page.write_bytes(b"under way") if change == "changed" else page.unlink(missing_ok=True)
        return cut_shards(*given, **named)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(module, "cut_shards", disturb)
        first = read(source, tmp_path)
    page.write_bytes(content)

    second = read(source, tmp_path)

    (refused,) = rows(tmp_path, first, "quarantine")
    assert refused["reason"] == ("changed" if change == "changed" else "missing_image")
    assert first.digest != second.digest
    assert sorted(row["text"] for row in rows(tmp_path, second)) == TEXTS
    assert second.read == 1
    assert len(reader.texts()) < 2 * len(TEXTS)


def test_nothing_is_lost_what_cannot_be_read_is_in_quarantine_with_its_reason(
    tmp_path: Path, source: Path, reader: ToyReader
) -> None:
    files = {
        "README.txt": b"hello",
        "cut.png": encode_png(draw_page(["1"]))[:200],
        "empty.png": b"",
        "endless.pdf": make_pdf(pages=10),
        "huge.png": encode_png(draw_page(["2"] * 40)),
        "locked.pdf": encrypted_pdf(),
    }
    for name, content in files.items():
        (source / name).write_bytes(content)
    blank = draw_page([])
    (source / "blank.tiff").write_bytes(tiff([blank, blank]))

    batch = read(source, tmp_path)

    refused = rows(tmp_path, batch, "quarantine")
    listed = rows(tmp_path, batch, "files")
    assert {row["path"]: row["reason"] for row in refused} == {
        "README.txt": "unknown_suffix",
        "cut.png": "truncated_image",
        "empty.png": "unreadable_image",
        "endless.pdf": "too_many_pages",
        "huge.png": "decompression_bomb",
        "locked.pdf": "encrypted",
    }
    assert all(row["detail"] for row in refused)
    pages = {row["path"] for row in refused if row["page"]}
    assert pages == {"cut.png", "empty.png", "huge.png"}  # an image is opened as its only page
    (readme,) = (row for row in listed if row["path"] == "README.txt")
    assert (readme["bytes"], readme["content"]) == (0, "")  # it was not opened
    assert len({row["path"] for row in listed}) == len(listed) == len(TEXTS) + len(files) + 1
    unread = {row["path"] for row in listed if not row["pages"]}
    assert unread == set(files)
    assert batch.counts.quarantined == len(files)
    assert next(row for row in listed if row["path"] == "blank.tiff")["pages"] == 2


def test_a_page_that_takes_too_long_costs_its_time_and_no_other_page(
    tmp_path: Path, reader: ToyReader
) -> None:
    write_pages(tmp_path / "source", TEXTS[:2])
    after = image_pdf([draw_page([TEXTS[2]])], dpi=200)
    (tmp_path / "source" / "slow.pdf").write_bytes(joined_pdf([pdf_of_pattern(), after]))

    batch = read(tmp_path / "source", tmp_path, limits=replace(LIMITS, page_timeout_s=3))

    (refused,) = rows(tmp_path, batch, "quarantine")
    assert (refused["path"], refused["page"], refused["reason"]) == ("slow.pdf", 1, "too_slow")
    assert sorted(row["text"] for row in rows(tmp_path, batch)) == TEXTS[:3]
    assert (batch.counts.quarantined, batch.counts.bad_pages) == (0, 1)


def test_an_empty_source_is_refused(tmp_path: Path, reader: ToyReader) -> None:
    (tmp_path / "source").mkdir()

    with pytest.raises(BadInput, match="holds no file"):
        read(tmp_path / "source", tmp_path)


def test_progress_comes_to_all_shards(tmp_path: Path, source: Path, reader: ToyReader) -> None:
    seen: list[Progress] = []

    batch = read(source, tmp_path, on_progress=seen.append)

    assert [each.done for each in seen] == list(range(1, batch.shards + 1))
    assert seen[-1].counts == batch.counts


@pytest.mark.parametrize("moment", ["listed", "1", "3", "joined"])
def test_killed_at_any_moment_the_next_run_has_every_line_once(
    tmp_path: Path, source: Path, reader: ToyReader, moment: str
) -> None:
    with start(source, tmp_path, moment) as killed:
        assert killed.wait() == -9
    before = len(reader.texts())

    batch = read(source, tmp_path)

    assert sorted(row["text"] for row in rows(tmp_path, batch)) == TEXTS
    assert sorted(row["path"] for row in rows(tmp_path, batch, "files")) == sorted(
        f"{'odd' if int(text) % 2 else 'even'}/{text}.png" for text in TEXTS
    )
    if moment == "joined":  # all shards were there
        assert (before, batch.read) == (len(TEXTS), 0)
    elif moment == "3":
        assert batch.read <= batch.shards - 3


def test_no_process_outlives_a_killed_run(tmp_path: Path, source: Path, reader: ToyReader) -> None:
    with start(source, tmp_path, "-1") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "1\n"
        helpers = psutil.Process(running.pid).children(recursive=True)
        running.kill()

    _, alive = psutil.wait_procs(helpers, timeout=60)

    assert len(helpers) >= 4  # two that read, each with its decoder
    assert alive == []


def test_a_reader_that_was_ended_ends_the_run_and_the_next_one_goes_on(
    tmp_path: Path, source: Path, reader: ToyReader
) -> None:
    (tmp_path / "deadly").touch()
    with pytest.raises(ProcessDied, match="ended from outside"):
        read(source, tmp_path, processes=2)
    (tmp_path / "deadly").unlink()

    batch = read(source, tmp_path)

    assert sorted(row["text"] for row in rows(tmp_path, batch)) == TEXTS


def test_two_runs_at_once_make_one_batch_with_every_line_once(
    tmp_path: Path, source: Path, reader: ToyReader
) -> None:
    runs = [start(source, tmp_path, "-1", home) for home in ("one", "two")]
    for run in runs:
        with run:
            assert run.wait() == 0

    batch = read(source, tmp_path)

    assert batch.read == 0
    assert sorted(row["text"] for row in rows(tmp_path, batch)) == TEXTS
    published = [path.parent for path in (tmp_path / "store").rglob("published.json")]
    assert len(published) == batch.shards + 1

"""Reading many files with a version of the registry."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from configs.operation.batch import BatchParams
from ocr.errors import BadInput
from ocr.models.registry import Registry
from ocr.store import S3Credentials, open_store
from tasks.batch.read import BatchRef, read_files
from tasks.workspace import open_workspace
from tests.minio_server import minio_server
from tests.serving.tiny_bundle import DIGITS, LETTERS, png
from tests.serving.tiny_pipeline import NAME, page_png, register_pipeline

__all__ = ["minio_server"]


@pytest.fixture
def scans(tmp_path: Path, empty: Registry) -> Path:
    """A folder of two pages; the champion p1 reads digits, p2 letters instead."""
    register_pipeline(empty, tmp_path, version="p1", characters=DIGITS)
    register_pipeline(empty, tmp_path, version="p2", characters=LETTERS)
    empty.promote(NAME, "p1", reason="by hand")
    folder = tmp_path / "scans"
    folder.mkdir()
    (folder / "a.png").write_bytes(page_png("2026", "31415"))
    (folder / "b.png").write_bytes(page_png("9"))
    return folder


def read(source: Path, model: str) -> BatchRef:
    return read_files.fn(BatchParams(name="march", source=str(source), model=model))


def texts(batch: BatchRef) -> list[tuple[str, str]]:
    table = pq.read_table(f"{batch.uri.removeprefix('file://')}/lines.parquet")
    return [(row["version"], row["text"]) for row in table.to_pylist()]


def test_the_champion_reads_and_is_named_in_every_row(scans: Path) -> None:
    batch = read(scans, NAME)

    assert texts(batch) == [("p1", "2026"), ("p1", "31415"), ("p1", "9")]
    assert (batch.model, batch.files, batch.pages, batch.lines) == ("pages:p1", 2, 2, 3)
    assert batch.key.startswith("batches/march/")
    assert 0 < batch.mean_confidence <= 1
    assert batch.pages_per_s > 0


def test_another_champion_makes_another_batch_and_the_first_stays(
    scans: Path, empty: Registry
) -> None:
    first = read(scans, NAME)
    empty.promote(NAME, "p2", reason="by hand")

    second = read(scans, NAME)

    assert {version for version, _ in texts(second)} == {"p2"}
    assert {version for version, _ in texts(first)} == {"p1"}
    assert read(scans, f"{NAME}:p1").key == first.key


def test_a_recogniser_reads_an_image_as_one_line(scans: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    lines.mkdir()
    (lines / "one.png").write_bytes(png("42"))

    batch = read(lines, f"{NAME}-recogniser:p1")

    assert texts(batch) == [("p1", "42")]


def test_a_detector_alone_is_refused(scans: Path) -> None:
    with pytest.raises(BadInput, match="finds text and reads none"):
        read(scans, f"{NAME}-detector:p1")


def test_nothing_is_left_on_this_machine(scans: Path) -> None:
    read(scans, NAME)

    assert list((open_workspace().home / "jobs").iterdir()) == []


def test_objects_of_a_bucket_are_read_to_tables_in_a_bucket(
    tmp_path: Path, minio_server: S3Credentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = f"s3://ocrline-{tmp_path.name[-20:].lower().replace('_', '-')}"
    for name, value in {
        "OCRLINE_HOME": str(tmp_path / "home"),
        "OCRLINE_STORE": f"{bucket}/store",
        "MINIO_ENDPOINT": minio_server.endpoint,
        "MINIO_ACCESS_KEY": minio_server.access_key,
        "MINIO_SECRET_KEY": minio_server.secret_key,
    }.items():
        monkeypatch.setenv(name, value)
    workspace = open_workspace()
    register_pipeline(workspace.registry, tmp_path, version="p1", characters=DIGITS)
    scans = open_store(f"{bucket}/scans", s3=minio_server)
    scans.put_bytes("march/a.png", page_png("2026"))
    scans.put_bytes("march/b.png", page_png("9", "17"))

    first = read_files.fn(
        BatchParams(name="march", source=f"{bucket}/scans/march", model=f"{NAME}:p1")
    )
    again = read_files.fn(
        BatchParams(name="march", source=f"{bucket}/scans/march", model=f"{NAME}:p1")
    )

    workspace.store.get_file(f"{first.key}/lines.parquet", tmp_path / "lines.parquet")
    rows = pq.read_table(tmp_path / "lines.parquet").to_pylist()
    assert [(row["path"], row["text"]) for row in rows] == [
        ("a.png", "2026"),
        ("b.png", "9"),
        ("b.png", "17"),
    ]
    assert (again.key, again.pages_per_s) == (first.key, 0)

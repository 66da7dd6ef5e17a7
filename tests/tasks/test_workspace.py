"""Where a dataset's root is, and that a snapshot's copy on this machine is what the store has."""

from pathlib import Path

import pytest

from ocr.errors import BadInput
from ocr.store import open_store
from ocr.store.folder import seal_folder, upload_folder
from tasks.workspace import Workspace, dataset_root

KEY = "datasets/toy/0123abcd"
TABLE = b"its rows"


@pytest.mark.parametrize("written", ["https://key:hush@server/scans", "S3://key:hush@scans/may"])
def test_an_address_of_another_kind_is_refused_and_not_shown(written: str) -> None:
    with pytest.raises(BadInput, match=r"expected a folder, a tar file or s3://") as refusal:
        dataset_root(written)

    assert "hush" not in str(refusal.value)


def store_snapshot(folder: Path, *, store: str = "store", key: str = KEY) -> Workspace:
    """Store what has a snapshot's files, beside others; return who copies them."""
    made = folder / "made" / store / key
    made.mkdir(parents=True)
    for file, content in {
        "samples.parquet": TABLE,
        "charset.txt": key.encode(),
        "0.bin": b"images",
    }.items():
        (made / file).write_bytes(content)
    seal_folder(made)
    workspace = Workspace(store=open_store(str(folder / store)), home=folder / "home")
    upload_folder(workspace.store, made, prefix=key)
    return workspace


@pytest.mark.parametrize("file", ["samples.parquet", "manifest.json"])
def test_a_snapshots_table_that_was_changed_on_this_machine_is_fetched_anew(
    tmp_path: Path, file: str
) -> None:
    workspace = store_snapshot(tmp_path)
    copy = workspace.copy_tables(KEY)
    (copy / file).write_bytes(b"{}")

    assert workspace.copy_tables(KEY) == copy
    assert (copy / "samples.parquet").read_bytes() == TABLE
    assert sorted(path.name for path in copy.iterdir()) == [
        "charset.txt",
        "manifest.json",
        "samples.parquet",
    ]
    assert (copy / "manifest.json").read_bytes() != b"{}"


def test_a_snapshots_table_is_copied_once(tmp_path: Path) -> None:
    workspace = store_snapshot(tmp_path)
    before = (workspace.copy_tables(KEY) / "samples.parquet").stat().st_ino

    assert (workspace.copy_tables(KEY) / "samples.parquet").stat().st_ino == before


@pytest.mark.parametrize("other", [{"store": "another"}, {"key": "datasets/other/0123abcd"}])
def test_copies_of_another_store_or_name_are_kept_apart(
    tmp_path: Path, other: dict[str, str]
) -> None:
    first, second = store_snapshot(tmp_path), store_snapshot(tmp_path, **other)

    copies = {first.copy_tables(KEY), second.copy_tables(other.get("key", KEY))}

    assert len(copies) == 2

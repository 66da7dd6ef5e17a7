"""Where a store holds a document, by the path that label rows have."""

from itertools import product
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ocr.errors import BadData, BadInput
from ocr.lineage.documents import find_holdings
from tests.ocr.lineage.scenes import NAME, Told

LABELS = {drawn: drawn for drawn in map("".join, product("ABC", repeat=3))}
ELSEWHERE = f"datasets/elsewhere/{'e' * 64}"


class Made(NamedTuple):
    """A snapshot, and what was made of it: version v1, evaluation e1 and its report."""

    told: Told
    snapshot: str
    digest: str


@pytest.fixture
def made(told: Told, tmp_path: Path) -> Made:
    snapshot = told.prepare(LABELS, bad_rows=2)
    told.add("v1", dataset_digest=snapshot.digest)
    told.add("v2", dataset_digest="e" * 64)
    columns = pq.read_table(told.copy_tables(snapshot.key) / "samples.parquet").to_pydict()
    image_id = columns["id"][columns["image"].index("CAB.png")]
    store = told.registry.store
    for name, read in (("e1", image_id), ("e2", "f" * 64)):
        store.put_bytes(f"evaluations/{name}/report.json", f'{{"id": "{read}"}}'.encode())
        store.put_bytes(f"reports/{name}/0.html", b"<html>")
    other = pa.table({"image": ["scans/9.png"], "id": [image_id], "split": ["train"]})
    pq.write_table(other, tmp_path / "other.parquet")
    store.put_file(f"{ELSEWHERE}/samples.parquet", tmp_path / "other.parquet")
    return Made(told, snapshot.key, snapshot.digest)


def find(made: Made, *paths: str) -> dict[str, str]:
    return {each.prefix: each.why for each in find_holdings(made.told.registry, paths).found}


def test_sample_is_found_with_all_that_was_made_of_it(made: Made) -> None:
    found = find(made, "CAB.png")

    assert found.pop(made.snapshot) in ("1 train", "1 val", "1 test")
    assert {key: why for key, why in found.items() if "/tests/" not in key} == {
        ELSEWHERE: "1 train",
        f"models/{NAME}/v1": f"learnt from {made.digest[:16]}",
        f"models/{NAME}/v2": f"learnt from {'e' * 16}",
        "evaluations/e1": "what was read of them",
        "reports/e1/0.html": "what was read of them",
    }


def test_same_image_is_found_under_another_path(made: Made) -> None:
    assert find(made, "scans/*").keys() == find(made, "CAB.png").keys()


def test_star_stands_for_anything(made: Made) -> None:
    counts = (part.split()[0] for part in find(made, "A*.png", "B*.png")[made.snapshot].split(", "))

    assert sum(map(int, counts)) == 18


def test_rejected_rows_count(made: Made) -> None:
    assert find(made, "gone*")[made.snapshot] == "2 missing_image"


def test_test_split_is_named_beside_its_snapshot(made: Made) -> None:
    [held] = [why for key, why in find(made, "*").items() if "/tests/" in key]

    assert held == "8 rows"


def test_damaged_table_is_named(made: Made) -> None:
    made.told.registry.store.put_bytes(f"datasets/{NAME}/{'d' * 64}/samples.parquet", b"PAR1")

    with pytest.raises(BadData, match=r"d/samples\.parquet is damaged"):
        find(made, "CAB.png")


def test_store_without_it_has_nothing(made: Made) -> None:
    assert find(made, "AB.png", "CAB.pn", "C?B.png") == {}


def test_what_nothing_is_called_is_named(made: Made) -> None:
    found = find_holdings(made.told.registry, ["CAB.png", "CAB.PNG", "gone*", "./CAB.png"])

    assert found.unknown == ("CAB.PNG", "./CAB.png")


def test_an_empty_path_is_refused_for_it_would_name_all_that_was_rendered(made: Made) -> None:
    with pytest.raises(BadInput, match="an empty path names no document"):
        find(made, "CAB.png", "")


def test_a_batch_that_read_the_same_file_is_found_by_its_content(
    made: Made, tmp_path: Path
) -> None:
    store, content = made.told.registry.store, "f" * 64
    own = pa.table({"image": ["CAB.png"], "id": [content], "split": ["train"]})
    pq.write_table(own, tmp_path / "own.parquet")
    store.put_file(f"datasets/again/{'a' * 64}/samples.parquet", tmp_path / "own.parquet")
    files = pa.table({"path": ["march/9.png"], "content": [content]})
    pq.write_table(files, tmp_path / "files.parquet")
    store.put_file(f"batches/march/{'b' * 64}/0/files.parquet", tmp_path / "files.parquet")

    assert find(made, "CAB.png")[f"batches/march/{'b' * 64}"] == "1 row"


def test_a_rejected_row_that_names_it_counts(made: Made, tmp_path: Path) -> None:
    columns = {
        "image": ["x/1.png", "x/2.png"],
        "reason": ["same_image_in_two_splits"] * 2,
        "detail": ["also test CAB.png", "also test xCAB.png"],
    }
    pq.write_table(pa.table(columns), tmp_path / "quarantine.parquet")
    key = f"datasets/{NAME}/refused/{'c' * 64}"
    made.told.registry.store.put_file(f"{key}/quarantine.parquet", tmp_path / "quarantine.parquet")

    assert find(made, "CAB.png")[key] == "1 same_image_in_two_splits"


def test_what_somebody_else_put_into_the_store_is_none_of_ours(made: Made, tmp_path: Path) -> None:
    table = pa.table({"path": ["CAB.png", None]})
    folder = made.told.folder / "store"
    for place in ("team/inventory.parquet", f"datasets/toy.bak/{'a' * 64}/samples.parquet"):
        (folder / place).parent.mkdir(parents=True)
        pq.write_table(table, folder / place)

    assert not [
        key for key in find(made, "CAB.png") if key.startswith(("team", "datasets/toy.bak"))
    ]


def test_lines_that_were_cut_out_of_a_page_are_found_by_its_content(
    made: Made, tmp_path: Path
) -> None:
    store, page = made.told.registry.store, "9" * 64
    tables = {
        f"datasets/pages/{'1' * 64}": {"image": ["A/doc.png"], "id": [page], "split": ["test"]},
        f"datasets/again/{'2' * 64}": {"image": ["B.png"], "id": [page], "split": ["train"]},
        f"datasets/again-lines/{'3' * 64}": {
            "image": ["B.png", "C.png"],
            "id": ["7" * 64, "8" * 64],
            "group": [page, "6" * 64],
            "split": ["train", "train"],
        },
    }
    for number, (key, columns) in enumerate(tables.items()):
        pq.write_table(pa.table(columns), tmp_path / f"{number}.parquet")
        store.put_file(f"{key}/samples.parquet", tmp_path / f"{number}.parquet")

    assert find(made, "A/doc.png") == dict(
        zip(tables, ("1 test", "1 train", "1 train"), strict=True)
    )


@pytest.mark.parametrize(
    ("path", "fits"),
    [("*" * 25 + "B.png", True), ("**/C*A*B*.p*g*", False), ("C*A*B*.p*g*", True), ("*x", False)],
)
def test_many_stars_come_to_an_end(made: Made, path: str, fits: bool) -> None:
    assert (made.snapshot in find(made, path)) == fits


def test_a_table_whose_end_is_damaged_is_named(made: Made) -> None:
    key = f"datasets/{NAME}/{'d' * 64}/samples.parquet"
    made.told.registry.store.put_bytes(key, b"PAR1" + b"\xff" * 64 + b"\x40\x00\x00\x00PAR1")

    with pytest.raises(BadData, match=r"d/samples\.parquet is damaged"):
        find(made, "CAB.png")

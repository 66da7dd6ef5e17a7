"""Tables that somebody else wrote: read as they are, and refused where none are like that."""

import io
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ocr import parquet
from ocr.errors import BadData
from ocr.parquet import read_parquet


def written(columns: dict[str, Any], **options: Any) -> io.BytesIO:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return file


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), "str")]
)
@pytest.mark.parametrize("has_dictionary", [False, True])
def test_rows_are_what_was_written(kind: pa.DataType, has_dictionary: bool) -> None:
    texts = ["皖A1", "", None, "皖A1"] * 3000
    columns = {"text": pa.array(texts).cast(kind), "size": pa.array(range(12_000))}
    file = written(columns, use_dictionary=has_dictionary, row_group_size=5000)

    found = list(read_parquet(file, name="a.parquet", columns=["size", "text"]))
    of_one_group = read_parquet(file, name="a.parquet", columns=["text"], row_groups=[2])

    assert found == list(zip(range(12_000), texts, strict=True))
    assert [text for (text,) in of_one_group] == texts[10_000:]


def test_texts_that_are_gigabytes_written_out_are_refused() -> None:
    rows = pa.array([0] * 20_000, pa.int32())
    file = written({"text": pa.DictionaryArray.from_arrays(rows, ["x" * 1_000_000])})

    with pytest.raises(BadData, match=r"a\.parquet holds more than 1073741824 bytes of texts"):
        list(read_parquet(file, name="a.parquet", columns=["text"]))


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_texts_as_what_they_share_with_the_one_before_are_read(encoding: str) -> None:
    texts = [f"images/receipt-{at:05}.jpg" for at in range(10_000)]
    file = written({"text": texts}, use_dictionary=False, column_encoding={"text": encoding})

    assert [text for (text,) in read_parquet(file, name="a.parquet", columns=["text"])] == texts


@pytest.mark.parametrize("kind", [pa.binary(), pa.list_(pa.string())])
def test_columns_that_no_table_of_ours_has_are_refused_unread(kind: pa.DataType) -> None:
    file = written({"text": ["a"], "more": pa.array([None], kind)})

    assert list(read_parquet(file, name="a.parquet", columns=["text"])) == [("a",)]
    with pytest.raises(BadData, match=r"'more' is .*, expected texts or numbers"):
        list(read_parquet(file, name="a.parquet", columns=["text", "more"]))


@pytest.fixture
def taken() -> Iterator[pa.MemoryPool]:
    """What is taken of the memory for columns, from here on."""
    everybody = pa.default_memory_pool()
    pool = pa.proxy_memory_pool(everybody)
    pa.set_memory_pool(pool)
    yield pool
    pa.set_memory_pool(everybody)


def test_texts_that_share_a_megabyte_are_refused_before_all_are_in_memory(
    monkeypatch: pytest.MonkeyPatch, taken: pa.MemoryPool
) -> None:
    monkeypatch.setattr(parquet, "_LEAST_BYTES", 2**26)
    monkeypatch.setattr(parquet, "_BYTES_AT_ONCE", 2**24)
    texts = pa.repeat("x" * 1_000_000, 400, memory_pool=pa.system_memory_pool())
    file = written(
        {"text": texts}, use_dictionary=False, column_encoding={"text": "DELTA_BYTE_ARRAY"}
    )

    with pytest.raises(BadData, match="holds more than 67108864 bytes of texts"):
        list(read_parquet(file, name="a.parquet", columns=["text"]))

    assert 0 < taken.max_memory() < 2**27

"""A file that is refused, and whether it was met as it was listed."""

from pathlib import Path

import pytest

from ocr.batch.document import Refusal, read_file
from ocr.batch.source import FileSource, InputFile, Source, StoreSource
from ocr.dataset.roots import FolderRoot
from ocr.decoding.decoders import Decoders
from tests.ocr.batch.toy_batch import LIMITS, NO_KEYS


@pytest.mark.parametrize(
    ("source", "size", "reason", "is_as_listed"),
    [
        (StoreSource("s3://archive/scans", NO_KEYS), LIMITS.max_bytes + 1, "too_large", True),
        (FileSource(FolderRoot(Path("nowhere"))), 5, "missing_image", False),
    ],
    ids=["its size is listed", "gone since"],
)
def test_refusal_says_whether_the_file_was_as_it_was_listed(
    source: Source, size: int, reason: str, is_as_listed: bool
) -> None:
    decoders = Decoders(1, max_pixels=1, timeout_s=1, max_bytes=1)  # never started

    (found,) = read_file(
        InputFile("page.png", size, "content"),
        source=source,
        limits=LIMITS,
        decoders=decoders,
        read=lambda _: [],
    )

    assert isinstance(found, Refusal)
    assert (found.reason, found.is_as_listed) == (reason, is_as_listed)

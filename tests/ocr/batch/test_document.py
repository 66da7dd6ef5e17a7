"""A file that is refused, and whether it was met as it was listed."""

from pathlib import Path

import pytest

from ocr.batch.document import Refusal, read_file
from ocr.batch.source import FileSource, InputFile, Source, StoreSource
from ocr.dataset.roots import FolderRoot
from ocr.decoding.decoders import Decoders
from tests.ocr.batch.toy_batch import LIMITS, NO_KEYS

NOWHERE = FileSource(FolderRoot(Path("nowhere")))


@pytest.mark.parametrize(
    ("source", "path", "size", "reason", "is_as_listed"),
    [
        (
            StoreSource("s3://archive/scans", NO_KEYS),
            "page.png",
            LIMITS.max_bytes + 1,
            "too_large",
            True,
        ),
        (NOWHERE, "page.png", 5, "missing_image", False),
        (NOWHERE, "linked/", 0, "outside_root", True),
    ],
    ids=["its size is listed", "gone since", "a linked folder"],
)
def test_refusal_says_whether_the_file_was_as_it_was_listed(
    source: Source, path: str, size: int, reason: str, is_as_listed: bool
) -> None:
    decoders = Decoders(1, max_pixels=1, timeout_s=1, max_bytes=1)  # never started

    (found,) = read_file(
        InputFile(path, size, "content"),
        source=source,
        limits=LIMITS,
        decoders=decoders,
        read=lambda _: [],
    )

    assert isinstance(found, Refusal)
    assert (found.reason, found.is_as_listed) == (reason, is_as_listed)

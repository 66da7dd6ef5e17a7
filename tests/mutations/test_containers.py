"""Damaged files that hold images: each image is read or refused, or one error says why none is."""

import os
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from hypothesis import given

from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.quarantine import Rejection
from ocr.dataset.roots import Root, TarRoot
from ocr.errors import BadData
from ocr.image.pixels import BadImage
from tests.mutations.edits import damaged
from tests.ocr.dataset.roots.packing import write_lmdb, write_tar

IMAGES: Final = {f"sub/{n}.png": bytes([n]) * 100 * n for n in range(4)} | {"名" * 60: b"long name"}


def _packed(form: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return write_tar(Path(folder, "a.tar"), IMAGES, form=form).read_bytes()


TARS: Final = [_packed(form) for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)]


def _lmdb() -> bytes:
    """Enough short rows for a tree of pages, and images that take one and several pages."""
    rows = {b"%d" % n * 30: f"TEXT {n}" for n in range(60)}
    rows |= {bytes([n]) * 3000 * n: f"LONG {n}" for n in range(1, 4)}
    with tempfile.TemporaryDirectory() as folder:
        return Path(write_lmdb(Path(folder), rows), "data.mdb").read_bytes()


LMDB: Final = _lmdb()


@given(damaged(TARS))
def test_damaged_tars_are_read_or_refused(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.tar")
        path.write_bytes(content)
        _read_all(TarRoot(path))


def _read_all(root: Root) -> None:
    try:
        with root.images() as images:
            for name in IMAGES:
                with suppress(BadImage):
                    images.read(name, max_pixels=1)
    except BadData as error:
        if "pack it again" not in str(error) and "is compressed" not in str(error):
            raise


@given(damaged([LMDB]))
def test_damaged_lmdb_files_are_read_or_refused_and_end_no_process(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "train")
        path.mkdir()
        Path(path, "data.mdb").write_bytes(content)
        child = os.fork()
        if child == 0:
            os._exit(_exit_code(LineLabelFiles("lmdb", Path(folder), "train")))
        assert os.waitpid(child, 0)[1] == 0


def _exit_code(labels: LineLabelFiles) -> int:
    try:
        rows = [row.image for row in labels.read() if not isinstance(row, Rejection)]
        with labels.place().images() as images:
            for name in rows:
                with suppress(BadImage):
                    images.read(name, max_pixels=1)
    except BadData as error:
        return 0 if str(error).startswith(f"{labels.root}/train/data.mdb") else 1
    return 0

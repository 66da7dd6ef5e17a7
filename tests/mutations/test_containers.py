"""Damaged files that hold images: each image is read or refused, or one error says why none is."""

import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from hypothesis import given

from ocr.dataset.roots import Root, TarRoot
from ocr.errors import BadData
from ocr.image.pixels import BadImage
from tests.mutations.edits import damaged
from tests.ocr.dataset.roots.packing import write_tar

IMAGES: Final = {f"sub/{n}.png": bytes([n]) * 100 * n for n in range(4)} | {"名" * 60: b"long name"}


def _packed(form: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return write_tar(Path(folder, "a.tar"), IMAGES, form=form).read_bytes()


TARS: Final = [_packed(form) for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)]


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

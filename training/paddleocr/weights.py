"""The weights that a training starts from, fetched once and proved by their SHA-256."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

import httpx

from ocr.errors import BadData, BadInput, StoreUnavailable
from ocr.store.whole import sha256_of, written_whole

TIMEOUT_S = 60
PIECE_BYTES = 1 << 20


def fetch_weights(source: str, sha256: str, target: Path) -> None:
    """Copy weights to a file, unless it holds them already.

    Args:
        source: Path, or URL of the kinds file, http or https.
        sha256: Of their content.
        target: The file.

    Raises:
        BadInput: There is no such file or address.
        BadData: They are others than expected.
        StoreUnavailable: The address does not answer.
    """
    if target.is_file() and sha256_of(target) == sha256:
        return
    with written_whole(target) as file, _opened(source) as pieces:
        for piece in pieces:
            file.write(piece)
    found = sha256_of(target)
    if found != sha256:
        target.unlink()
        raise BadData(
            f"training.pretrained: {source} has SHA-256 {found}, expected {sha256} "
            "(training.pretrained_sha256)"
        )


@contextmanager
def _opened(source: str) -> Iterator[Iterator[bytes]]:
    address = urlsplit(source)
    if address.scheme in ("http", "https"):
        try:
            with httpx.stream("GET", source, timeout=TIMEOUT_S, follow_redirects=True) as answer:
                answer.raise_for_status()
                yield answer.iter_bytes(PIECE_BYTES)
        except httpx.HTTPStatusError as error:
            status = error.response.status_code
            raise BadInput(f"training.pretrained: {source} answers {status}") from error
        except httpx.HTTPError as error:
            raise StoreUnavailable(f"training.pretrained: {source}: {error}") from error
        return
    path = Path(unquote(address.path) if address.scheme == "file" else source)
    if not path.is_file():
        raise BadInput(f"training.pretrained: there is no file {source}")
    with path.open("rb") as stream:
        yield _pieces(stream)


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    while piece := stream.read(PIECE_BYTES):
        yield piece

"""The weights that a training starts from, fetched once and proved by their SHA-256."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Literal
from urllib.parse import unquote, urlsplit

import httpx

from ocr.errors import BadData, BadInput, StoreUnavailable
from ocr.store.whole import sha256_of, written_whole
from training.loop.guards import Stopped, StopRequest

ANSWER_S = 15
"""Shorter than a task waits for a job that it ended."""
MOST_S = 3600
MOST_BYTES = 4 * 2**30
MOST_REDIRECTS = 5
PIECE_BYTES = 1 << 20

WeightsField = Literal["pretrained", "teacher"]
"""What of a training names weights."""


def fetch_weights(
    source: str, sha256: str, target: Path, *, field: WeightsField, stop: StopRequest
) -> None:
    """Copy weights to a file, unless it holds them already.

    Args:
        source: Path, or URL of the kinds file, http or https; without any secret.
        sha256: Of their content.
        target: The file.
        field: What names it, for errors.
        stop: Whether SIGTERM arrived.

    Raises:
        Stopped: SIGTERM arrived.
        BadInput: There is no such file or address, or it leads elsewhere than https to https.
        BadData: They are others than expected, or more than MOST_BYTES.
        StoreUnavailable: The address does not answer, or not within MOST_S.
    """
    if target.is_file() and sha256_of(target) == sha256:
        return
    end, size = time.monotonic() + MOST_S, 0
    with written_whole(target) as file, _opened(source, field) as pieces:
        for piece in pieces:
            if stop.at is not None:
                raise Stopped("Asked to stop while weights were fetched; run again to begin anew")
            size += len(piece)
            if size > MOST_BYTES:
                most = f"{MOST_BYTES / 2**30:g} GiB, the most that is taken"
                raise BadData(f"training.{field}: {source} has more than {most}")
            if time.monotonic() > end:
                raise StoreUnavailable(
                    f"training.{field}: {source} took longer than {MOST_S} s; fetch it yourself "
                    "and give its path"
                )
            file.write(piece)
    found = sha256_of(target)
    if found != sha256:
        target.unlink()
        raise BadData(
            f"training.{field}: {source} has SHA-256 {found}, expected {sha256} "
            f"(training.{field}_sha256)"
        )


@contextmanager
def _opened(source: str, field: WeightsField) -> Iterator[Iterator[bytes]]:
    address = urlsplit(source)
    if address.scheme in ("http", "https"):
        with _asked(source, field) as pieces:
            yield pieces
        return
    path = Path(unquote(address.path) if address.scheme == "file" else source)
    try:
        if not path.is_file():
            hint = "; add .pdparams" * Path(f"{path}.pdparams").is_file()
            raise BadInput(f"training.{field}: there is no file {source!r}{hint}")
        stream = path.open("rb")
    except OSError as error:
        raise BadInput(f"training.{field}: {source!r}: {error.strerror}") from error
    with stream:
        yield _pieces(stream)


@contextmanager
def _asked(source: str, field: WeightsField) -> Iterator[Iterator[bytes]]:
    def check_redirect(request: httpx.Request) -> None:
        if request.url != first and (first.scheme, request.url.scheme) != ("https", "https"):
            raise BadInput(
                f"training.{field}: {source} redirects; only https that leads to https is followed"
            )

    try:
        first = httpx.URL(source)
        client = httpx.Client(
            timeout=ANSWER_S,
            follow_redirects=True,
            max_redirects=MOST_REDIRECTS,
            event_hooks={"request": [check_redirect]},
            headers={"Accept-Encoding": "identity"},
        )
        with client, client.stream("GET", first) as answer:
            answer.raise_for_status()
            yield answer.iter_raw()
    except httpx.HTTPStatusError as error:
        status = error.response.status_code
        raise BadInput(f"training.{field}: {source} answers {status}") from None
    except httpx.InvalidURL as error:
        raise BadInput(f"training.{field}: {source!r} is no address: {error}") from None
    except httpx.HTTPError as error:
        raise StoreUnavailable(f"training.{field}: {source}: {error}") from None


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    while piece := stream.read(PIECE_BYTES):
        yield piece

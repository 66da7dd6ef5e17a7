"""Which form a store and a home have, so that no release writes to what a newer one wrote.

A release that writes what earlier ones would misread raises `FORMAT`. Where nothing is marked, a
release wrote that knew of no mark: format 1.
"""

import hashlib
import json
import os
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from ocr.errors import ArtifactNotFound, BadData, BadInput, StoreUnavailable
from ocr.store.protocol import Store
from ocr.store.whole import read_plain, written_whole

FORMAT: Final = 1
STORE_MARK: Final = "state/format.json"
HOME_MARK: Final = "format.json"
STORES: Final = "stores"
"""In a home: a note of each store that it has worked with."""
PROBE = "doctor/probe.txt"
"""What is written and removed to try a store; it stays where a key may not remove."""


def write_probe(store: Store) -> None:
    """Write PROBE, which the caller removes; errors are those of a write."""
    store.put_bytes(PROBE, b"written and removed by ocrline")


def check_store(store: Store) -> bool:
    """Raise BadInput where a newer release wrote the store; say whether it is marked."""
    try:
        data = store.read_bytes(STORE_MARK)
    except ArtifactNotFound:
        return False
    _check(data, where=store.uri)
    return True


def meet_store(home: Path, store: Store, *, server: str = "") -> None:
    """Know a store again that a home has worked with.

    One that is gone, as its disk is not mounted, must not be begun anew: there is no champion in it
    that a candidate has to beat.

    Args:
        home: The home.
        store: The store.
        server: Where it is, if it is a bucket.

    Raises:
        BadInput: A newer release wrote it.
        StoreUnavailable: It is not what the home has worked with, but empty.
    """
    place = store.uri.removeprefix("file://")
    if place != store.uri:  # one folder, however it is spelled
        place, server = os.path.realpath(place), ""
    note = home / STORES / f"{hashlib.sha256(os.fsencode(server + place)).hexdigest()[:16]}.txt"
    is_marked = check_store(store)
    try:
        is_known = note.exists()
    except OSError:  # of a home of several people, who may not look into it
        return
    if is_known and not is_marked and not any(store.folders("")):
        raise StoreUnavailable(
            f"{home} has worked with {store.uri}, which holds nothing of it any more: is its disk "
            f"mounted, or the bucket another? If it is to begin anew, remove {note}"
        )
    if is_marked and not is_known:
        with suppress(OSError), written_whole(note) as file:  # who may not write there only reads
            file.write(store.uri.encode())


def mark_store(store: Store) -> None:
    """Say in the store which form it has."""
    store.put_bytes(STORE_MARK, json.dumps({"format": FORMAT}).encode())


def check_home(home: Path) -> None:
    """Raise BadInput where a newer release wrote the home, or a restore was not finished."""
    try:
        data = read_plain(home / HOME_MARK)
    except FileNotFoundError:
        return
    said = _check(data, where=str(home))
    if "restoring" in said:
        store = f" --store {said['store']}" if "store" in said else ""
        raise BadInput(
            f"A restore into {home} was not finished: run `ocrline restore {said['restoring']}"
            f"{store}` again, or start with another OCRLINE_HOME"
        )


def mark_home(home: Path) -> None:
    """Say in a home which form it has."""
    if not (home / HOME_MARK).exists():
        write_home_mark(home)


def write_home_mark(home: Path, **more: str) -> None:
    """Replace the mark of a home; `restoring` names the backup of an unfinished restore."""
    said = {"format": FORMAT, "release": version("ocrline"), **more}
    home.mkdir(mode=0o700, parents=True, exist_ok=True)  # what people's documents hold is in it
    with written_whole(home / HOME_MARK) as file:
        file.write(json.dumps(said).encode())


def unmark_home(home: Path) -> None:
    """Let a home be as one that was never marked."""
    (home / HOME_MARK).unlink()


def read_home_mark(home: Path) -> dict[str, Any]:
    """Return what the mark of a home says; empty: there is none."""
    try:
        return _check(read_plain(home / HOME_MARK), where=str(home))
    except FileNotFoundError:
        return {}


def _check(data: bytes, *, where: str) -> dict[str, Any]:
    try:
        said = json.loads(data)
        is_newer = said["format"] > FORMAT
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise BadData(f"{where}: what says which form it has is damaged: {error!r}") from error
    if is_newer:
        ours = f"ocrline {version('ocrline')} knows format {FORMAT}"
        raise BadInput(
            f"{where} was written by a newer ocrline (format {said['format']}; {ours}): "
            "update this one"
        )
    return dict(said)

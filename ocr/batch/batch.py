"""A source to the tables of its lines, its files and what could not be read."""

import hashlib
import json
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import chain, islice
from pathlib import Path
from time import perf_counter
from typing import Any

from ocr.batch.reading import Counts, ReadShard, Work, leave_bench, read_shard
from ocr.batch.shard import Shard, cut_shards
from ocr.batch.source import InputFile
from ocr.batch.tables import FILES, LINES, QUARANTINE, join_tables
from ocr.dataset.process_pool import ProcessPool
from ocr.errors import BadInput
from ocr.store import Store, open_store
from ocr.store.folder import (
    MANIFEST,
    download_folder,
    find_published,
    mark_used,
    publish_folder,
)
from ocr.store.whole import sha256_of


@dataclass(frozen=True)
class Progress:
    """How far a batch is: shards that are done of how many, and what was read in them."""

    done: int
    shards: int
    counts: Counts


@dataclass(frozen=True)
class Batch:
    """A batch in the store.

    Attributes:
        digest: Of what was read, by whom and how; equal for equal ones.
        prefix: Where its tables are in the store.
        shards: How many it was read in, `read` of them now and the others before.
        counts: What is in it.
        pages_per_s: That were read now; None where none were.
    """

    digest: str
    prefix: str
    shards: int
    read: int
    counts: Counts
    pages_per_s: float | None


def read_batch(
    work: Work,
    *,
    described: str,
    files_per_shard: int,
    processes: int,
    on_progress: Callable[[Progress], None],
) -> Batch:
    """Read every file of a source once, over several processes; what was read before is found.

    A shard is published when it is complete, and the batch when all of its shards are: killed
    anywhere, the same call goes on. A second run at the same time, or a run with more files, finds
    the shards of the other and reads what is left.

    Args:
        work: What is read, and with what.
        described: The source in words, for the manifest.
        files_per_shard: How many files are read together, on average.
        processes: How many read at once.
        on_progress: Told after every shard.

    Raises:
        BadInput: The source holds no file.
        ProcessDied: A process was ended from outside; the same call goes on.
        StoreUnavailable: The store cannot be reached.
    """
    store = open_store(work.store, s3=work.s3)
    listing = work.folder / "inputs.jsonl"
    _write_listing(listing, work.source.list(max_bytes=work.limits.max_bytes))

    def cut() -> Iterator[Shard]:
        return cut_shards(
            _read_listing(listing),
            files_per_shard=files_per_shard,
            model=work.reference,
            limits=work.limits,
        )

    digests = [shard.digest for shard in cut()]
    if not digests:
        raise BadInput(f"{described} holds no file; hidden ones are left out")
    digest, key = _name(work, digests)
    mark_used(store, prefix=key)
    found = find_published(store, key=key)
    if found:
        said = json.loads(store.read_bytes(f"{found}/{MANIFEST}"))
        return Batch(digest, found, len(digests), 0, Counts(**said["counts"]), None)
    started = perf_counter()
    read = _read_shards(work, cut, len(digests), processes=processes, on_progress=on_progress)
    taken_s = perf_counter() - started
    digest, key = _name(work, [read[each].digest for each in digests])
    counts = sum((shard.counts for shard in read.values()), Counts())
    prefix = _publish(
        store,
        work,
        [read[each].prefix for each in digests],
        key,
        {
            "source": described,
            "model": work.model,
            "version": work.version,
            "limits": asdict(work.limits),
            "shards": len(digests),
            "counts": asdict(counts),
        },
    )
    new = [shard for shard in read.values() if not shard.was_there]
    pages = sum(shard.counts.pages for shard in new)
    return Batch(digest, prefix, len(digests), len(new), counts, pages / taken_s if pages else None)


def _name(work: Work, digests: Sequence[str]) -> tuple[str, str]:
    """Return the digest of a batch of such shards, and its key."""
    digest = hashlib.sha256("\n".join(digests).encode()).hexdigest()
    return digest, f"batches/{work.name}/{digest}"


def _read_shards(
    work: Work,
    cut: Callable[[], Iterator[Shard]],
    shards: int,
    *,
    processes: int,
    on_progress: Callable[[Progress], None],
) -> dict[str, ReadShard]:
    """Read all shards, or find them, by their listed digest; two runs begin at different ones."""
    count = min(processes, shards)
    each = replace(work, cores=max(1, processes // count))
    first = random.randrange(shards)  # noqa: S311 - no secret
    turns = chain(islice(cut(), first, None), islice(cut(), first))
    read: dict[str, ReadShard] = {}
    counts = Counts()
    try:
        with ProcessPool(count, is_forked=False) as pool:
            for shard in pool.map_in_order(partial(read_shard, each), turns):
                read[shard.listed] = shard
                counts += shard.counts
                on_progress(Progress(len(read), shards, counts))
    finally:
        leave_bench()
    return read


def _publish(store: Store, work: Work, parts: Sequence[str], key: str, said: dict[str, Any]) -> str:
    """Join the tables of all shards in the order of the listing, and store them, manifest last."""
    folder = work.folder / "joined"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    join_tables(folder, _fetch(store, parts, work.folder / "part"))
    manifest = {
        "format": 1,
        "name": work.name,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        **said,
        "files": {name: sha256_of(folder / name) for name in (LINES, FILES, QUARANTINE)},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    return publish_folder(store, folder, key=key)


def _fetch(store: Store, prefixes: Sequence[str], folder: Path) -> Iterator[Path]:
    """Yield a verified copy of one shard after another; the one before is gone."""
    for prefix in prefixes:
        shutil.rmtree(folder, ignore_errors=True)
        yield download_folder(store, prefix=prefix, folder=folder)


def _write_listing(path: Path, files: Iterator[InputFile]) -> None:
    with path.open("w", encoding="utf-8") as listing:
        for file in files:
            listing.write(json.dumps([file.path, file.size, file.content]) + "\n")


def _read_listing(path: Path) -> Iterator[InputFile]:
    with path.open(encoding="utf-8") as listing:
        for row in listing:
            yield InputFile(*json.loads(row))

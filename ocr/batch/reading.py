"""One shard to its tables, in a process of its own."""

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ocr.batch.document import Read, Refusal, read_file
from ocr.batch.shard import ReadingLimits, Shard, name_shard
from ocr.batch.source import InputFile, Source
from ocr.batch.tables import FILES, LINES, QUARANTINE, TableWriter
from ocr.decoding.decoders import Decoders
from ocr.store import S3Credentials, open_store
from ocr.store.folder import MANIFEST, find_published, mark_used, publish_folder
from ocr.store.whole import sha256_of


@dataclass(frozen=True)
class Work:
    """What every process needs to know; it can be pickled.

    Attributes:
        source: Where the files are.
        name: Of the batch.
        model: Name of what reads, with its `version`.
        limits: What is accepted.
        store: URI of the store, with the keys to it.
        load_reader: Loads what reads, in any process, to read a page on so many cores; equal ones
            load the same.
        folder: For work in progress.
        cores: How many each process reads on.
    """

    source: Source
    name: str
    model: str
    version: str
    limits: ReadingLimits
    store: str
    s3: S3Credentials
    load_reader: Callable[[int], Read]
    folder: Path
    cores: int = 1

    @property
    def reference(self) -> str:
        """NAME:VERSION of what reads."""
        return f"{self.model}:{self.version}"


@dataclass(frozen=True)
class Counts:
    """What was read of some files.

    Attributes:
        files: That were listed.
        pages: That were read, with their `lines`.
        quarantined: Files of which no page was read.
        bad_pages: Pages that could not be read, of files with others that could.
        confidence: Of all lines, added up.
    """

    files: int = 0
    pages: int = 0
    lines: int = 0
    quarantined: int = 0
    bad_pages: int = 0
    confidence: float = 0.0

    def __add__(self, other: "Counts") -> "Counts":
        both = zip(asdict(self).items(), asdict(other).values(), strict=True)
        return Counts(**{name: mine + others for (name, mine), others in both})

    @property
    def mean_confidence(self) -> float | None:
        """Of a line; None where there is none."""
        return self.confidence / self.lines if self.lines else None


@dataclass(frozen=True)
class ReadShard:
    """A shard in the store: its prefix, what is in it, and whether it was there.

    ``listed`` is its digest as it was listed, ``digest`` as it was met.
    """

    listed: str
    digest: str
    prefix: str
    counts: Counts
    was_there: bool


def shard_key(name: str, digest: str) -> str:
    """Return under which key a shard of a batch is published."""
    return f"batches/{name}/shards/{digest}"


def read_shard(work: Work, shard: Shard) -> ReadShard:
    """Read the files of a shard and publish its tables, or find them published.

    Whoever publishes first counts, so that no two readings of a shard are ever mixed. What was not
    met as it was listed is published as what it was met as: the next run looks for it again.

    Raises:
        DecoderFailed: No decoder starts on this machine.
        StoreUnavailable: The store cannot be reached.
    """
    bench = _bench(work)
    key = shard_key(work.name, shard.digest)
    mark_used(bench.store, prefix=key)
    found = find_published(bench.store, key=key)
    digest, prefix = (shard.digest, found) if found else _read(bench, shard)
    said = json.loads(bench.store.read_bytes(f"{prefix}/{MANIFEST}"))
    counts = Counts(**said["counts"])
    return ReadShard(shard.digest, digest, prefix, counts, was_there=found is not None)


def leave_bench() -> None:
    """End what this process holds open to read shards, if it read any."""
    while _open:
        _open.pop().close()


class _Bench:
    """What a process reads with; the first shard that has to be read loads it."""

    def __init__(self, work: Work) -> None:
        self.store = open_store(work.store, s3=work.s3)
        self.work = work
        self.process = os.getpid()
        self._tools: tuple[Decoders, Read] | None = None

    def tools(self) -> tuple[Decoders, Read]:
        if self._tools is None:
            limits = self.work.limits
            decoders = Decoders(
                1,
                max_pixels=limits.max_pixels,
                timeout_s=limits.page_timeout_s,
                max_bytes=limits.max_bytes,
            )
            decoders.start()
            self._tools = decoders, self.work.load_reader(self.work.cores)
        return self._tools

    def close(self) -> None:
        if self._tools and self.process == os.getpid():
            self._tools[0].close()


_open: list[_Bench] = []
"""The bench of this process, or the one that its parent had when it was forked."""


def _bench(work: Work) -> _Bench:
    if not _open or _open[0].process != os.getpid() or _open[0].work != work:
        leave_bench()
        _open.append(_Bench(work))
    return _open[0]


def _read(bench: _Bench, shard: Shard) -> tuple[str, str]:
    """Read and publish a shard; return its digest as it was met, and its prefix."""
    work = bench.work
    folder = work.folder / shard.digest
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        met, counts = _write_tables(bench, shard, folder)
        tables = {name: sha256_of(folder / name) for name in (LINES, FILES, QUARANTINE)}
        said = {"format": 1, "counts": asdict(counts), "files": tables}
        (folder / MANIFEST).write_text(json.dumps(said, indent=1), encoding="utf-8")
        digest = name_shard(met, model=work.reference, limits=work.limits).digest
        return digest, publish_folder(bench.store, folder, key=shard_key(work.name, digest))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write_tables(bench: _Bench, shard: Shard, folder: Path) -> tuple[list[InputFile], Counts]:
    """Return the files as they were met, and what was read of them."""
    met: list[InputFile] = []
    counts = Counts()
    with (
        TableWriter(folder, LINES) as lines,
        TableWriter(folder, FILES) as files,
        TableWriter(folder, QUARANTINE) as quarantine,
    ):
        for file in shard.files:
            as_met, found = _read_file(bench, file, lines, quarantine)
            files.add(as_met.path, as_met.size, as_met.content, found.pages, found.lines)
            met.append(as_met)
            counts += found
    return met, counts


def _read_file(
    bench: _Bench, file: InputFile, lines: TableWriter, quarantine: TableWriter
) -> tuple[InputFile, Counts]:
    work = bench.work
    met = file
    decoders, read = bench.tools()
    counts = Counts(files=1)
    for found in read_file(
        file, source=work.source, limits=work.limits, decoders=decoders, read=read
    ):
        if isinstance(found, Refusal):
            quarantine.add(file.path, found.page, found.reason, found.detail)
            counts += Counts(bad_pages=1)
            met = met if found.is_as_listed else replace(file, content="")
            continue
        counts += Counts(
            pages=1,
            lines=len(found.lines),
            confidence=sum(line.confidence for line in found.lines),
        )
        for number, line in enumerate(found.lines, start=1):
            lines.add(
                *(file.path, found.number, number, line.text, line.confidence),
                *(line.polygon, work.model, work.version),
            )
    if not counts.pages:
        counts = replace(counts, quarantined=1, bad_pages=0)
    return met, counts

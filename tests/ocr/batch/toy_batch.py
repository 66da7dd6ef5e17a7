"""Batches of pages with grey bars: ``python -m tests.ocr.batch.toy_batch SOURCE FOLDER MOMENT``.

The process kills itself at the moment: after so many shards, `listed`, or `joined`; `-1` never.
"""

import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pyarrow.parquet as pq

from ocr.batch import batch as module
from ocr.batch.batch import Batch, Progress, read_batch
from ocr.batch.document import Read
from ocr.batch.reading import Work
from ocr.batch.shard import ReadingLimits
from ocr.batch.source import find_source
from ocr.image.pixels import Image
from ocr.models.page_line import PageLine
from ocr.models.registry import Registry
from ocr.store import S3Credentials, open_store
from tests.serving.tiny_bundle import DIGITS
from tests.serving.tiny_pipeline import NAME, load_reader, page_png, register_pipeline

VERSION = "p1"
NO_KEYS = S3Credentials(endpoint="", access_key="", secret_key="")
LIMITS = ReadingLimits(max_bytes=10_000_000, max_pixels=10**6, max_pages=9, page_timeout_s=20)


@dataclass(frozen=True)
class ToyReader:
    """Loads the pipeline under a folder, and keeps a list of what was read.

    It ends its process over a page while there is a file `deadly` in the folder.
    """

    folder: Path

    def __call__(self, cores: int) -> Read:
        pages = load_reader(self.folder / NAME / VERSION)

        def read(image: Image) -> Sequence[PageLine]:
            lines = pages.read(image).lines
            if (self.folder / "deadly").exists():
                _die()
            with (self.folder / "read.txt").open("a") as log:
                log.write(" ".join(line.text for line in lines) + "\n")
            return lines

        return read

    def texts(self) -> list[str]:
        """Return what was read of every page, as often as it was."""
        log = self.folder / "read.txt"
        return log.read_text().splitlines() if log.exists() else []


def make_reader(folder: Path) -> ToyReader:
    """Make the pipeline that reads digits."""
    store = open_store(str(folder / "models"))
    register_pipeline(Registry(store), folder, version=VERSION, characters=DIGITS)
    return ToyReader(folder)


def write_pages(source: Path, texts: Sequence[str]) -> None:
    """Write a page a text, in two folders."""
    for text in texts:
        path = source / ("odd" if int(text) % 2 else "even") / f"{text}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page_png(text))


def read(source: Path, folder: Path, *, home: str = "home", **given: Any) -> Batch:
    """Read a folder to a store beside it; `folder` has the reader of `make_reader`."""
    work = Work(
        source=find_source(str(source), s3=NO_KEYS),
        name="toy",
        model=NAME,
        version=VERSION,
        limits=given.pop("limits", LIMITS),
        store=str(folder / "store"),
        s3=NO_KEYS,
        load_reader=ToyReader(folder),
        folder=folder / home,
    )
    work.folder.mkdir(exist_ok=True)
    options: dict[str, Any] = {"files_per_shard": 3, "processes": 1, "on_progress": lambda _: None}
    return read_batch(work, described=str(source), **(options | given))


def rows(folder: Path, batch: Batch, table: str = "lines") -> list[dict[str, Any]]:
    """Return the rows of a batch's table."""
    path = folder / "store" / batch.prefix / f"{table}.parquet"
    found: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return found


def main() -> None:
    """Read with two processes, and end as the moment says."""
    source, folder, home, moment = sys.argv[1:]

    def tell(progress: Progress) -> None:
        print(progress.done, flush=True)  # noqa: T201
        if str(progress.done) == moment:
            _die()

    if moment == "listed":
        vars(module)["cut_shards"] = _die
    if moment == "joined":
        vars(module)["publish_folder"] = _die
    read(Path(source), Path(folder), home=home, processes=2, on_progress=tell)


def _die(*_: Any, **__: Any) -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("it is dead")


if __name__ == "__main__":
    main()

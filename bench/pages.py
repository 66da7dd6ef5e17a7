"""Pages read by ocrline, RapidOCR and Tesseract: time, memory and how much of it is right.

``python -m bench.pages --model receipts --labels det_test.txt [--pages N]``. Each engine has a
process of its own and as many threads as there are cores, as a lone page has in the gateway with
its default settings; Tesseract has one. They take turns page by page, so that whatever else the
machine does meets all of them, and sleep meanwhile. It does not slow all alike: on a busy machine
look at the processor seconds. The first page is read once before the clocks run.
"""

import argparse
import functools
import multiprocessing
import resource
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Final

from rich.console import Console
from rich.progress import track
from rich.table import Table

from configs.dataset import MAX_PIXELS
from ocr.dataset.pages.region import Region
from ocr.errors import BadInput
from ocr.evaluation.pages.metrics import measure_pages
from ocr.image.pixels import decode_image
from ocr.processors import count_processors
from ocr.reading.page_reader import PageReading, ReadsPages

CORES = count_processors()
OURS: Final = "ocrline"
WIDTH: Final = 130


@dataclass(frozen=True)
class Answer:
    """What an engine made of one page, and its peak of memory up to now.

    Attributes:
        reading: What it read.
        read_s: Seconds that took, without decoding; ``cpu_s``: of all processors together.
        peak_mib: MiB.
    """

    reading: PageReading
    read_s: float
    cpu_s: float
    peak_mib: float


@dataclass(frozen=True)
class Engine:
    """An engine in its own process."""

    name: str
    read: Callable[[Path], Answer]


def main() -> None:
    """Let the engines take turns, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--model", default="receipts", help="NAME, NAME@alias or NAME:version")
    parser.add_argument("--labels", type=Path, required=True, help="PaddleOCR detection labels")
    parser.add_argument("--pages", type=int, default=0, help="Read the first N only; 0: all")
    parser.add_argument("--engines", nargs="+", choices=READERS, default=list(READERS))
    arguments = parser.parse_args()
    files, truths = list_pages(arguments.labels, pages=arguments.pages)
    with ExitStack() as stack:
        engines = start_engines(arguments.engines, arguments.model, stack=stack)
        answers = take_turns(engines, files)
    print_table(answers, truths)


def list_pages(labels: Path, *, pages: int) -> tuple[list[Path], list[tuple[Region, ...]]]:
    """Return the image files of a label file and the regions of each."""
    from ocr.dataset.pages.labelled_pages import read_labelled_pages  # not in the engines' memory

    labelled, _ = read_labelled_pages(labels, max_pixels=MAX_PIXELS)
    chosen = labelled[: pages or None]
    return [labels.parent / page.name for page in chosen], [page.regions for page in chosen]


def start_engines(names: Sequence[str], model: str, *, stack: ExitStack) -> list[Engine]:
    """Start a process for each engine that this machine has, and say which it has not."""
    engines = []
    for what in names:
        spawn = multiprocessing.get_context("spawn")
        pool = stack.enter_context(ProcessPoolExecutor(1, mp_context=spawn))
        try:
            name = pool.submit(name_reader, what, model).result()
        except BadInput as error:
            if what == OURS:
                raise
            print(error)
            continue
        read = functools.partial(_read_in, pool, what, model)
        engines.append(Engine(name, read))
    return engines


def take_turns(engines: Sequence[Engine], files: Sequence[Path]) -> dict[str, list[Answer]]:
    """Have every page read by every engine; each is first as often as the others."""
    answers: dict[str, list[Answer]] = {engine.name: [] for engine in engines}
    for engine in engines:
        engine.read(files[0])
    for number, file in enumerate(track(files, "reading", console=Console(stderr=True))):
        first = number % len(engines)
        for engine in [*engines[first:], *engines[:first]]:
            answers[engine.name].append(engine.read(file))
    return answers


def print_table(
    answers: Mapping[str, Sequence[Answer]], truths: Sequence[Sequence[Region]]
) -> None:
    """Print a row for each engine; the first is what the others are compared with."""
    table = Table("engine", "s per page", "times", "processor s", "times", "peak MiB")
    for column in ("detection Hmean", "e2e Hmean", "e2e NED"):
        table.add_column(column)
    first, *_ = answers.values()
    for name, read in answers.items():
        metrics = measure_pages([answer.reading for answer in read], truths)
        table.add_row(
            name,
            *_describe_time(read, first, lambda answer: answer.read_s),
            *_describe_time(read, first, lambda answer: answer.cpu_s),
            f"{read[-1].peak_mib:.0f}",
            f"{metrics.hmean:.4f}",
            f"{metrics.e2e_hmean:.4f}",
            f"{metrics.e2e_ned:.4f}",
        )
    Console(width=WIDTH).print(table, f"{len(truths)} pages, {CORES} cores")


def _describe_time(
    read: Sequence[Answer], first: Sequence[Answer], seconds_of: Callable[[Answer], float]
) -> tuple[str, str]:
    seconds, first_s = (fmean(map(seconds_of, answers)) for answers in (read, first))
    return f"{seconds:.3f}", f"{seconds / first_s:.1f}x"


def _read_in(pool: ProcessPoolExecutor, what: str, model: str, file: Path) -> Answer:
    return pool.submit(read_file, what, model, file).result()


def name_reader(what: str, model: str) -> str:
    """Load an engine into this process and name it."""
    return load_reader(what, model).name


def read_file(what: str, model: str, file: Path) -> Answer:
    """Read a page with the engine of this process."""
    reader = load_reader(what, model)
    image = decode_image(file.read_bytes(), max_pixels=MAX_PIXELS)
    started, cpu_s = perf_counter(), _cpu_seconds()
    reading = reader.read(image)
    read_s, cpu_s = perf_counter() - started, _cpu_seconds() - cpu_s
    return Answer(reading, read_s, cpu_s, peak_mib=_peak_mib())


@functools.cache
def load_reader(what: str, model: str) -> ReadsPages:
    """Load an engine into this process, once.

    Raises:
        BadInput: It is not installed.
    """
    return READERS[what](model)


def _cpu_seconds() -> float:
    """Return those of this process and of the programs that it ran."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, whose))


def _peak_mib() -> float:
    """Return the peak of this process or of a program that it ran, whichever is larger.

    `ru_maxrss` of a process begins with what its parent had, so that only VmHWM is its own.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii")
    own_kib = next(int(row.split()[1]) for row in status.splitlines() if row.startswith("VmHWM"))
    return max(own_kib, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) / 1024


def _load_ours(model: str) -> ReadsPages:
    from tasks.readers import load_pipeline
    from tasks.workspace import open_workspace

    return load_pipeline(open_workspace(), model, threads=CORES)


def _load_rapidocr(_: str) -> ReadsPages:
    from ocr.reading.baselines.rapidocr import RapidOcrPages

    return RapidOcrPages(threads=CORES)


def _load_tesseract(_: str) -> ReadsPages:
    from ocr.reading.baselines.tesseract_pages import TesseractPages

    return TesseractPages()


READERS: Final[Mapping[str, Callable[[str], ReadsPages]]] = {
    OURS: _load_ours,
    "rapidocr": _load_rapidocr,
    "tesseract": _load_tesseract,
}

if __name__ == "__main__":
    main()

"""What one reader makes of a test set, alone: read once, and found from then on."""

from collections.abc import Callable
from dataclasses import asdict
from itertools import islice
from time import perf_counter
from typing import Literal

from configs.evaluation import LineEvaluationParams, PageEvaluationParams
from ocr.dataset.snapshot.snapshot import SampleT, Snapshot
from ocr.evaluation.report import EvaluationReport
from ocr.store.digest import stage_key
from tasks.measuring.baseline import BASELINE_PACKAGES, identify, is_baseline
from tasks.measuring.found import find_or_measure
from tasks.run.narration import narrate
from tasks.workspace import Workspace

Stage = Literal["evaluate-lines", "evaluate-pages"]


def read_alone(
    workspace: Workspace,
    stage: Stage,
    reader: str,
    params: LineEvaluationParams | PageEvaluationParams,
    *,
    labels: Snapshot[SampleT],
    most: int,
    what: str,
    load: Callable[[], object],
    measure: Callable[..., EvaluationReport],
) -> str:
    """Read test samples with one reader, or find what it read of the same before.

    So a champion that read a test split as candidate does not read it again beside the next one,
    whatever was added to train meanwhile; nor does a baseline, unless there are new characters.

    Args:
        workspace: Where reports are.
        stage: Who measures.
        reader: NAME:VERSION, or a baseline's name.
        params: Their seed and resamples.
        labels: The snapshot.
        most: Samples to read, the first of its test.
        what: Names them, for the log.
        load: Loads the reader, where it has to read.
        measure: Reads with it and measures: given it, the samples, resamples and seed.

    Returns:
        Prefix of the report in the store.
    """
    digest = stage_key(
        stage,
        packages=BASELINE_PACKAGES.get(reader, ()),
        model=identify(workspace, reader),
        written=_describe_writing(labels) if is_baseline(reader) else None,
        samples=labels.describe("test", most),
        seed=params.seed,
        resamples=params.resamples,
    )
    started = perf_counter()

    def read() -> EvaluationReport:
        samples = islice(labels.images("test"), most)
        return measure(load(), samples, resamples=params.resamples, seed=params.seed)

    key, is_there = find_or_measure(workspace, digest, read)
    how = "found" if is_there else f"read in {perf_counter() - started:.1f} s"
    narrate("evaluate", f"{what} with {reader}: {how}")
    return key


def _describe_writing(labels: Snapshot[SampleT]) -> tuple[object, ...]:
    """Say how a baseline answers: as labels are written, with their characters."""
    return asdict(labels.manifest.texts), labels.charset.characters

"""Read many files to tables of their lines, each file once, by one version of a model."""

from dataclasses import asdict, dataclass

from prefect import task
from prefect.artifacts import create_table_artifact
from prefect.context import TaskRunContext

from configs.operation.batch import BatchLimitParams, BatchParams
from configs.settings import Settings
from ocr.batch.batch import Batch, read_batch
from ocr.batch.reading import Work
from ocr.batch.shard import ReadingLimits
from ocr.batch.source import find_source
from ocr.models.registry import ModelVersion
from ocr.processors import count_processors
from ocr.store import S3Credentials
from tasks.batch.progress import BatchProgress
from tasks.batch.reader import RegisteredReader, find_reader
from tasks.run.alone import alone
from tasks.run.narration import narrate
from tasks.run.progress import BARS
from tasks.run.retries import may_help
from tasks.workspace import Workspace, open_workspace

MEGABYTE = 10**6


@dataclass(frozen=True)
class BatchRef:
    """A batch in the store.

    Attributes:
        key: Prefix of its tables; `uri` is where that is.
        model: NAME:VERSION of what read.
        files: That were listed, of which `quarantined` have no page.
        pages: That were read, with their `lines`; `bad_pages` could not be.
        mean_confidence: Of a line; 0 where there is none.
        pages_per_s: That this run read; 0 where all had been read before.
    """

    key: str
    uri: str
    model: str
    files: int
    pages: int
    lines: int
    quarantined: int
    bad_pages: int
    mean_confidence: float
    pages_per_s: float


@task(name="read-files", retries=2, retry_delay_seconds=[2, 10], retry_condition_fn=may_help)
def read_files(params: BatchParams) -> BatchRef:
    """Read what is new of a source, and write the tables of all of it, or find them."""
    workspace, settings = open_workspace(), Settings()
    model = find_reader(workspace, params.model)
    with (
        BARS.shown("batch") as bar,
        alone(workspace.home, f"batch-{params.name}", stage="batch") as place,
        place.emptied() as folder,
    ):
        batch = read_batch(
            Work(
                source=find_source(params.source, s3=S3Credentials.of(settings)),
                name=params.name,
                model=model.name,
                version=model.version,
                limits=_limits(params.limits),
                store=workspace.store.uri,
                s3=S3Credentials.of(settings),
                load_reader=RegisteredReader(model.reference, model.task == "pipeline"),
                folder=folder,
            ),
            described=params.source,
            files_per_shard=params.files_per_shard,
            processes=count_processors(),
            on_progress=BatchProgress(bar).update,
        )
    return _conclude(workspace, model, batch)


def _limits(limits: BatchLimitParams) -> ReadingLimits:
    return ReadingLimits(
        max_bytes=limits.max_file_mb * MEGABYTE,
        max_pixels=limits.max_pixels,
        max_pages=limits.max_pages,
        page_timeout_s=limits.page_timeout_s,
    )


def _conclude(workspace: Workspace, model: ModelVersion, batch: Batch) -> BatchRef:
    counts = batch.counts
    made = BatchRef(
        key=batch.prefix,
        uri=f"{workspace.store.uri}/{batch.prefix}",
        model=model.reference,
        files=counts.files,
        pages=counts.pages,
        lines=counts.lines,
        quarantined=counts.quarantined,
        bad_pages=counts.bad_pages,
        mean_confidence=round(counts.mean_confidence or 0.0, 4),
        pages_per_s=round(batch.pages_per_s or 0.0, 2),
    )
    how = f"read {batch.read} of {batch.shards} shards" if batch.read else "found all shards"
    narrate(
        "batch",
        f"{how}: {counts.files} files, {counts.pages} pages, {counts.lines} lines, "
        f"{counts.quarantined} files and {counts.bad_pages} pages quarantined",
    )
    if TaskRunContext.get() is not None:
        rows = [[name, value] for name, value in asdict(made).items()]
        create_table_artifact([["what", "value"], *rows], key="batch", description=made.uri)
    return made

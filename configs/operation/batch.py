"""The parameters of a batch: which files are read, by which model, within which limits."""

from pydantic import Field

from configs.base import NAME_PATTERN, FileName, Params
from configs.dataset import MAX_PIXELS


class BatchLimitParams(Params):
    """What is accepted of a file; the rest is quarantined with its reason."""

    max_file_mb: int = Field(200, ge=1, le=2000, description="Largest file, MB")
    max_pixels: int = Field(
        MAX_PIXELS,
        ge=1,
        le=500_000_000,
        description="Largest image, pixels (guards against bombs); a PDF is drawn coarser",
    )
    max_pages: int = Field(
        2000, ge=1, le=100_000, description="Most pages of a document; longer ones are quarantined"
    )
    page_timeout_s: float = Field(
        30.0, gt=0, le=3600, description="Longest that a page may take to decode, seconds"
    )


class BatchParams(Params):
    """One reading of many images and PDFs to tables of their lines."""

    name: str = Field(
        pattern=NAME_PATTERN,
        description="Name of the batch; its tables lie under batches/NAME/ in the store",
    )
    source: FileName = Field(
        min_length=1,
        description="What is read: a folder from / on, a tar file, a folder in one "
        "(/data/scans.tar/2026), or s3://bucket/folder",
    )
    model: str = Field(
        min_length=1,
        description="What reads: NAME, its champion now; NAME@ALIAS; or NAME:VERSION. The whole "
        "batch is read by one version",
    )
    limits: BatchLimitParams = Field(
        default=BatchLimitParams(), description="What is accepted of a file"
    )
    files_per_shard: int = Field(
        16,
        ge=1,
        le=100_000,
        description="Files that are read together, on average: what a killed run reads again at "
        "most, in each of its processes. Another number reads all files again",
    )

"""The contract between tasks and the training process: job.json in, result.json out."""

from pathlib import PurePosixPath
from typing import Any, Literal

from pydantic import Field

from configs.base import NAME_PATTERN, Params
from configs.paddleocr import (
    REGISTERED,
    PaddleOcrDetectorParams,
    PaddleOcrParams,
    PaddleOcrRecogniserParams,
)
from configs.training import (
    DECIDING_RESOURCES,
    OPERATIONAL,
    DetectorTrainingParams,
    RecogniserTrainingParams,
    ResourceParams,
)


class TrainRecogniserJob(Params):
    """Train one recogniser on one snapshot; files land beside job.json."""

    kind: Literal["train-recogniser"] = Field("train-recogniser", description="Kind of job")
    store: str = Field(description="URI of the artifact store")
    snapshot: str = Field(description="Key prefix of the dataset snapshot in the store")
    training: RecogniserTrainingParams = Field(description="How to train")
    resources: ResourceParams = Field(description="What to train on")


class TrainDetectorJob(Params):
    """Train one detector on one snapshot of pages; files land beside job.json."""

    kind: Literal["train-detector"] = Field("train-detector", description="Kind of job")
    store: str = Field(description="URI of the artifact store")
    snapshot: str = Field(description="Key prefix of the page snapshot in the store")
    training: DetectorTrainingParams = Field(description="How to train")
    resources: ResourceParams = Field(description="What to train on")


class PaddleOcrRuntime(Params):
    """The source tree of PaddleOCR and the interpreter that runs it."""

    home: str = Field(description="Folder of the source tree")
    python: str = Field(description="Interpreter with what the tree imports")
    config: str = Field("", description="The net's file in the tree")
    tree: str = Field(description="Digest of the tree's code and of that file")
    packages: str = Field(description="Digest of the interpreter's packages and their versions")


PaddleOcrKind = Literal["train-paddleocr-recogniser", "train-paddleocr-detector"]


class TrainPaddleOcrJob(Params):
    """What every job for PaddleOCR's trainer says, whatever the net does."""

    kind: PaddleOcrKind = Field(description="Kind of job")
    store: str = Field(description="URI of the artifact store")
    snapshot: str = Field(description="Key prefix of the dataset snapshot in the store")
    training: PaddleOcrParams = Field(description="How to train")
    resources: ResourceParams = Field(description="What to train on")
    runtime: PaddleOcrRuntime = Field(description="What runs it")


class TrainPaddleOcrRecogniserJob(TrainPaddleOcrJob):
    """Have PaddleOCR's trainer train one recogniser on one snapshot; files land beside job.json."""

    kind: Literal["train-paddleocr-recogniser"] = Field(
        "train-paddleocr-recogniser", description="Kind of job"
    )
    training: PaddleOcrRecogniserParams = Field(description="How to train")


class TrainPaddleOcrDetectorJob(TrainPaddleOcrJob):
    """Have PaddleOCR's trainer train one detector on a snapshot of pages."""

    kind: Literal["train-paddleocr-detector"] = Field(
        "train-paddleocr-detector", description="Kind of job"
    )
    training: PaddleOcrDetectorParams = Field(description="How to train")


EmbeddedKind = Literal["train-recogniser", "train-detector"]
EmbeddedJob = TrainRecogniserJob | TrainDetectorJob
TrainKind = Literal[EmbeddedKind, PaddleOcrKind]
TrainJob = EmbeddedJob | TrainPaddleOcrJob


UNSAID = {"to_static": False, "clip_norm": 0.0, "frozen": "none", "teacher_sha256": ""}
"""Fields that older keys do not name; they are in a key where they say something else."""


def what_decides(job: TrainJob) -> dict[str, Any]:
    """Return all of a training job that decides what is learnt, and not how it is kept."""
    training = job.training.model_dump(mode="json", exclude=set(OPERATIONAL))
    foreign: dict[str, Any] = {}
    several = {"nodes"} if job.resources.nodes > 1 else set()
    if isinstance(job, TrainPaddleOcrJob):
        foreign["runtime"] = {"tree": job.runtime.tree, "packages": job.runtime.packages}
        if job.training.pretrained.startswith(REGISTERED):
            foreign["start"] = "by character"  # which a file of the same weights does not name
        elif job.training.pretrained and isinstance(job, TrainPaddleOcrRecogniserJob):
            foreign["start"] = "by dictionary"
    return {
        **foreign,
        "snapshot": PurePosixPath(job.snapshot).name,  # the digest of its content
        "training": {
            key: value for key, value in training.items() if (key, value) not in UNSAID.items()
        },
        "resources": job.resources.model_dump(mode="json", include={*DECIDING_RESOURCES, *several}),
    }


class TrainResult(Params):
    """What a training left in its folder."""

    kind: TrainKind = Field(description="Kind of job")
    checkpoint: str = Field(description="Folder of the final checkpoint, relative to the job's")
    metrics: dict[str, float] = Field(description="Validation metrics of the final checkpoint")
    timings: dict[str, float] = Field(description="Seconds per phase, images per second, epochs")
    environment: dict[str, str] = Field(description="Versions and devices")


class ExportParams(Params):
    """What every export is told, whatever the model does."""

    store: str = Field(description="URI of the artifact store")
    snapshot: str = Field(description="Key prefix of the dataset snapshot in the store")
    checkpoint: str = Field(description="Key prefix of the checkpoint in the store")
    name: str = Field(pattern=NAME_PATTERN, description="Name of the model")
    version: str = Field(description="Version of the bundle")
    code_commit: str = Field("", description="Commit of the code that trained it; empty: unknown")
    parent: str = Field("", description="Version that it was fine-tuned from; empty: none")
    parameters: dict[str, Any] = Field(description="Parameters of the training, for the record")
    metrics: dict[str, float] = Field(description="Validation metrics of the checkpoint")
    int8: bool = Field(
        False, description="Add a form in 8 bits if it reads the validation split as well, sooner"
    )
    resources: ResourceParams = Field(ResourceParams(), description="What it runs on")


class ExportRecogniserJob(ExportParams):
    """Export one recogniser's checkpoint to a bundle with all forms, and prove their parity."""

    kind: Literal["export-recogniser"] = Field("export-recogniser", description="Kind of job")
    golden_images: int = Field(24, ge=1, le=1000, description="Images of the parity proof")
    text_model: bool = Field(
        description="Add a model of the training texts if it helps on the validation split"
    )


class ExportDetectorJob(ExportParams):
    """Export one detector's checkpoint to a bundle with all forms, and prove their parity."""

    kind: Literal["export-detector"] = Field("export-detector", description="Kind of job")
    golden_images: int = Field(4, ge=1, le=100, description="Pages of the parity proof")


ExportKind = Literal["export-recogniser", "export-detector"]
ExportJob = ExportRecogniserJob | ExportDetectorJob


class ExportResult(Params):
    """What an export of either kind left in its folder."""

    kind: ExportKind = Field(description="Kind of job")
    bundle: str = Field(description="Folder of the bundle, relative to the job's")
    parity: dict[str, float] = Field(description="Largest probability difference per form")
    timings: dict[str, float] = Field(description="Seconds per phase")


class ContainerTask(Params):
    """What a task says to its job in a container, on one line of its standard input.

    Keys of a store pass by it alone: neither `docker inspect` nor a file shows them. The end of the
    input is the end of the task.
    """

    code: dict[str, str] = Field(description="Our files and libraries here, which are to be there")
    commit: str = Field(description="Name of the code, for the record")
    environment: dict[str, str] = Field(description="Variables of the job", repr=False)

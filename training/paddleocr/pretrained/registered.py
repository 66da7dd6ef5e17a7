"""The weights of a version of the registry, with the characters that they are for."""

import json
from pathlib import Path

from configs.jobs import TrainPaddleOcrJob
from configs.paddleocr import REGISTERED
from configs.settings import Settings
from ocr.errors import BadData
from ocr.models.registry import Registry
from ocr.store import S3Credentials, open_store
from ocr.store.folder import download_folder
from training.paddleocr.checkpoint import SPEC, WEIGHTS

STARTED = "started"
CHARACTERS = "characters.json"


def fetch_registered(job: TrainPaddleOcrJob, folder: Path) -> tuple[Path, Path]:
    """Copy what a training by PaddleOCR left of a version.

    Args:
        job: The training that starts from it.
        folder: The job's; the copy lands there.

    Returns:
        The weights, and the characters of a recogniser's classes from 1 on, as JSON; of a detector
        there are none.

    Raises:
        ArtifactNotFound: There is no such version, or its checkpoint is gone.
        BadData: It is no version of PaddleOCR's trainer, or what is kept of it is damaged.
    """
    store = open_store(job.store, s3=S3Credentials.of(Settings()))
    reference = job.training.pretrained.removeprefix(REGISTERED)
    checkpoint = str(Registry(store).resolve(reference).manifest.get("checkpoint") or "")
    if not checkpoint:
        raise BadData(f"training.pretrained: {reference} does not name its checkpoint")
    copy = download_folder(store, prefix=checkpoint, folder=folder / STARTED, only=(WEIGHTS, SPEC))
    if not (copy / WEIGHTS).is_file():
        raise BadData(f"training.pretrained: {reference} is of another trainer than PaddleOCR's")
    characters = folder / CHARACTERS
    try:
        charset = json.loads((copy / SPEC).read_bytes()).get("charset", [])
    except (OSError, ValueError, AttributeError) as error:
        raise BadData(f"training.pretrained: {reference}: its {SPEC}: {error}") from None
    characters.write_text(json.dumps(charset), encoding="utf-8")
    return copy / WEIGHTS, characters

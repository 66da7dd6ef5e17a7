"""Which characters weights from elsewhere know: those that their net's file names."""

import json
import os
from pathlib import Path

from configs.jobs import TrainPaddleOcrJob, TrainPaddleOcrRecogniserJob
from ocr.errors import BadInput
from ocr.source_tree import is_digested
from training.paddleocr.config import read_named
from training.paddleocr.pretrained.fit_tool import read_lines
from training.paddleocr.recognition.config import BACKWARDS

CHARACTERS = "dictionary.json"
MOST_BYTES = 16 << 20


def find_dictionary(job: TrainPaddleOcrJob, folder: Path) -> Path | None:
    """Write which characters weights of a net know, as its file in PaddleOCR's tree says.

    Args:
        job: The training.
        folder: The job's; the characters of classes 1 and up land there, as JSON.

    Returns:
        That file; None of a detector, and where no dictionary of the tree is named.

    Raises:
        BadInput: It is named, and is none, or one whose texts PaddleOCR turns around.
    """
    if not isinstance(job, TrainPaddleOcrRecogniserJob):
        return None
    home = Path(job.runtime.home)
    name, config = read_named(home, job.training.net, "rec")
    path = Path(os.path.normpath(home / str(config["Global"].get("character_dict_path") or "")))
    if not is_digested(home, path):  # another one would be in no key
        return None
    if BACKWARDS in str(path.relative_to(home)) and not job.training.epochs:
        raise BadInput(
            f"training.epochs: 0: of a dictionary in whose path stands {BACKWARDS!r} PaddleOCR's "
            f"reader turns every text around, and ours does not ({name}); let it learn"
        )
    try:
        if not path.is_file():
            return None
        if path.stat().st_size > MOST_BYTES:
            raise ValueError(f"it is larger than {MOST_BYTES >> 20} MiB")
        characters = read_lines(str(path))
    except (OSError, ValueError) as error:
        raise BadInput(f"training.net: {name} names the dictionary {path}: {error}") from None
    if config["Global"].get("use_space_char"):
        characters.append(" ")
    written = folder / CHARACTERS
    written.write_text(json.dumps(characters), encoding="utf-8")
    return written

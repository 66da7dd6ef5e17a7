"""Which characters weights from elsewhere know: those that their net's file names."""

import json
from pathlib import Path

from configs.jobs import TrainPaddleOcrJob, TrainPaddleOcrRecogniserJob
from ocr.errors import BadInput
from training.paddleocr.config import read_named
from training.paddleocr.pretrained.fit_tool import read_lines

CHARACTERS = "dictionary.json"
FOLDER, SUFFIX = "ppocr", ".txt"
"""Of the dictionaries that are in the key of what is trained, with the tree's code."""


def find_dictionary(job: TrainPaddleOcrJob, folder: Path) -> Path | None:
    """Write which characters weights of a net know, as its file in PaddleOCR's tree says.

    Args:
        job: The training.
        folder: The job's; the characters of classes 1 and up land there, as JSON.

    Returns:
        That file; None of a detector, and where no dictionary of the tree is named.

    Raises:
        BadInput: It is named, and cannot be read.
    """
    if not isinstance(job, TrainPaddleOcrRecogniserJob):
        return None
    home = Path(job.runtime.home)
    name, config = read_named(home, job.training.net, "rec")
    path = home / str(config["Global"].get("character_dict_path") or "")
    is_digested = path.resolve().is_relative_to(home.resolve() / FOLDER) and path.suffix == SUFFIX
    if not is_digested:
        return None
    try:
        characters = read_lines(str(path))
    except (OSError, ValueError) as error:
        raise BadInput(f"training.net: {name} names the dictionary {path}: {error}") from None
    if config["Global"].get("use_space_char"):
        characters.append(" ")
    written = folder / CHARACTERS
    written.write_text(json.dumps(characters), encoding="utf-8")
    return written

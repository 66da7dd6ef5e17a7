"""What a job says of its `training`, in the words of the form that asked for it."""

import re

from configs.paddleocr import ENGINES, TrainingField

_KEYS = {key for nets in ENGINES.values() for each in nets.values() for key in each.model_fields}
_OF_A_JOB = re.compile(rf"(?<![\w./-])training\.(?=(?:{'|'.join(sorted(_KEYS))})\b)")


def in_words_of(field: TrainingField, message: str) -> str:
    """Name a job's parameters as its user did: those of pages stand under `detector` and such."""
    return _OF_A_JOB.sub(f"{field}.", message)

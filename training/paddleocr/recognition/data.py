"""A snapshot as PaddleOCR's trainer reads it: images, label files and a dictionary."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from ocr.dataset.lines.snapshot import LineSnapshot
from ocr.dataset.split import Split
from ocr.errors import BadData, BadInput
from ocr.image.pixels import encode_png
from ocr.models.recogniser_spec import LineSpec
from ocr.store.whole import written_whole
from training.paddleocr.config import JobFiles
from training.paddleocr.measured import Measured

SEPARATORS = "\t\r\n\x85"
"""What ends columns and lines of label files, and (NEL) of YAML, which reads it as a space."""
WIDTH_STEP_PX = 16
NEARLY_ALL = 0.95


def check_texts(snapshot: LineSnapshot, *, longest: int, batch_size: int) -> int:
    """Refuse what the trainer would stumble over or wait for without end, before it starts.

    Args:
        snapshot: The lines.
        longest: Characters that a text may have.
        batch_size: Lines per step; a smaller rest of an epoch is dropped.

    Returns:
        The lines of the train split.

    Raises:
        BadData: A split has too few lines, or texts that the trainer cannot take; with counts.
    """
    least_lines: dict[Split, int] = {"train": batch_size, "val": 1}
    texts = {split: list(snapshot.values("text", split)) for split in least_lines}
    for split, least in least_lines.items():
        if len(texts[split]) < least:
            raise BadData(
                f"The {split} split has {len(texts[split])} lines; PaddleOCR's trainer needs at "
                f"least {least}" + (", a batch (training.batch_size)" if least > 1 else "")
            )
    for split, written in texts.items():
        _check_lengths(written, split=split, longest=longest)
        _check_characters(written, split=split, known=set(snapshot.charset.characters))
    return len(texts["train"])


def _check_lengths(texts: Sequence[str], *, split: Split, longest: int) -> None:
    long = [text for text in texts if not 0 < len(text) <= longest]
    if long:
        most = max(long, key=len)
        raise BadData(
            f"{len(long)} of {len(texts)} texts of the {split} split are empty or longer than "
            f"{longest} characters, such as {most!r} of {len(most)}; raise training.max_text_length"
        )


def _check_characters(texts: Sequence[str], *, split: Split, known: set[str]) -> None:
    known = known - set(SEPARATORS)
    unknown = Counter(character for text in texts for character in set(text) - known)
    if unknown:
        most = ", ".join(f"{one!r} in {count}" for one, count in unknown.most_common(5))
        raise BadData(
            f"{unknown.total()} characters of the {split} split's texts cannot be learnt: {most}; "
            "they are not in the charset, or end a column or line of PaddleOCR's files"
        )


def check_scale(measured: Measured, spec: LineSpec) -> None:
    """Refuse a width at which the net learns another number of frames than it reads.

    PP-OCRv4's and v5's pool lines of any width to 40 frames while they learn, and to one per 8 px
    when they read.

    Args:
        measured: What the net makes of a line while it learns.
        spec: What it takes when it reads.

    Raises:
        BadInput: With both numbers, and the width at which they are one.
    """
    read = math.ceil(spec.width_px / spec.frame_px)
    if measured.frames == read:
        return
    advice = "take another net"
    if measured.frames_if_twice_as_wide == measured.frames:
        advice = f"set training.width_px to {measured.frames * spec.frame_px}"
    raise BadInput(
        f"training.width_px: {spec.width_px} is not allowed; the net gives such a line "
        f"{measured.frames} frames while it learns and {read} when it reads; {advice}"
    )


def check_frames(snapshot: LineSnapshot, measured: Measured, *, width_px: int) -> None:
    """Refuse lines that get fewer frames than CTC needs for their texts.

    Paddle's CTC loss of such a line is 0 without a gradient: it would never be learnt, and nothing
    would say so.

    Args:
        snapshot: The lines.
        measured: What the net makes of a line while it learns.
        width_px: Width of every line then.

    Raises:
        BadData: With counts, the text that needs most, and a width that would do.
    """
    texts = list(snapshot.values("text", "train"))
    lost = [text for text in texts if _frames_of(text) > measured.frames]
    if not lost:
        return
    most = max(lost, key=_frames_of)
    needed = _frames_of(most)
    advice = "this net gives no more to a wider one: take another, or leave such lines out"
    if measured.frames_if_twice_as_wide > measured.frames:
        columns = math.ceil(needed * width_px / measured.frames / WIDTH_STEP_PX)
        advice = f"set training.width_px to {columns * WIDTH_STEP_PX} or more"
    raise BadData(
        f"{len(lost)} of {len(texts)} texts of the train split, such as {most!r}, would never be "
        f"learnt: they need up to {needed} frames (a character each, and a blank between equal "
        f"neighbours), and the net gives a line of {width_px} px (training.width_px) "
        f"{measured.frames}; {advice}"
    )


def _frames_of(text: str) -> int:
    return len(text) + sum(one == next_one for one, next_one in pairwise(text))


def check_widths(snapshot: LineSnapshot, *, height_px: int, width_px: int) -> None:
    """Refuse a width that more than half of the lines are squeezed to.

    The trainer squeezes wider lines, and its own validation does so too; a reader gives a line its
    own width, as PaddleOCR's inference does. A net that saw little else reads next to nothing then.

    Args:
        snapshot: The lines.
        height_px: Height that lines are given.
        width_px: The widest that they are learnt.

    Raises:
        BadData: With counts, and a width that nearly all fit in.
    """
    heights = snapshot.values("height", "train")
    widths = snapshot.values("width", "train")
    natural = sorted(w * height_px / h for w, h in zip(widths, heights, strict=True))
    squeezed = sum(width > width_px for width in natural)
    if 2 * squeezed <= len(natural):
        return
    columns = math.ceil(natural[int(NEARLY_ALL * (len(natural) - 1))] / WIDTH_STEP_PX)
    raise BadData(
        f"{squeezed} of {len(natural)} lines of the train split are wider than {width_px} px "
        f"(training.width_px) at {height_px} px of height: squeezed while the net learns, and not "
        f"when it reads; set training.width_px to {columns * WIDTH_STEP_PX} or more"
    )


def write_files(snapshot: LineSnapshot, files: JobFiles) -> None:
    """Write images, label files and dictionary once; a label file is there when it is whole.

    Args:
        snapshot: The lines, which `check_texts` passed. Its images lie in shards, many a file, so
            that they are written and not linked.
        files: Where.
    """
    write_charset(snapshot, files)
    splits: tuple[tuple[Split, Path], ...] = (("train", files.train), ("val", files.val))
    for split, labels in splits:
        if not labels.is_file():
            _write_split(snapshot, split, labels)


def write_charset(snapshot: LineSnapshot, files: JobFiles) -> None:
    """Write the dictionary alone: all that a net needs which learns nothing."""
    files.data.mkdir(exist_ok=True)
    snapshot.charset.write(files.charset)


def _write_split(snapshot: LineSnapshot, split: Split, labels: Path) -> None:
    images = labels.parent / split
    images.mkdir(exist_ok=True)
    with written_whole(labels) as stream:
        for number, (sample, image) in enumerate(snapshot.images(split)):
            path = images / f"{number:07}.png"
            path.write_bytes(encode_png(image))
            name = path.relative_to(labels.parent).as_posix()
            stream.write(f"{name}\t{sample.text}\n".encode())

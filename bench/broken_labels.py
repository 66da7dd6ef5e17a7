"""Labels broken on purpose: what a list of suspects is to find."""

import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

Kind = Literal["swapped", "dropped", "transposed", "another's"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""A character swapped for another or dropped, two transposed, or the label of another line."""


def break_label_files(source: Path, target: Path, *, share: float, seed: int) -> dict[str, Kind]:
    """Copy a folder of lines, with a share of the labels of each split broken.

    Args:
        source: Folder with rec_{train,val,test}.txt and the images they name.
        target: Folder to make.
        share: Of the labels of each file; every kind is as frequent as the others.
        seed: Decides which labels are broken, and how.

    Returns:
        How each broken label was broken, by the path of its image.
    """
    draw = random.Random(seed)
    kinds: dict[str, Kind] = {}
    for split in ("train", "val", "test"):
        file = source / f"rec_{split}.txt"
        rows = [row.split("\t", 1) for row in file.read_text(encoding="utf-8").splitlines()]
        texts = [text for _, text in rows]
        for number, at in enumerate(draw.sample(range(len(rows)), round(share * len(rows)))):
            kind = KINDS[number % len(KINDS)]
            rows[at][1] = break_text(texts[at], texts, kind=kind, draw=draw)
            kinds[rows[at][0]] = kind
        for image, _ in rows:
            (target / image).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / image, target / image)
        written = "".join(f"{image}\t{text}\n" for image, text in rows)
        (target / file.name).write_text(written, encoding="utf-8")
    return kinds


def break_text(text: str, texts: Sequence[str], *, kind: Kind, draw: random.Random) -> str:
    """Break a text so that another one is left; its characters are those of all texts."""
    broken = text
    while broken in ("", text):
        at = draw.randrange(len(text))
        match kind:
            case "swapped":
                broken = text[:at] + draw.choice("".join(texts)) + text[at + 1 :]
            case "dropped":
                broken = text[:at] + text[at + 1 :]
            case "transposed":
                broken = text[:at] + text[at : at + 2][::-1] + text[at + 2 :]
            case "another's":
                broken = draw.choice(texts)
        kind = kind if len(set(text)) > 1 else "swapped"
    return broken

"""Crops of four digits with label files, as a team would bring them; labels can be spoilt."""

import random
from pathlib import Path

from ocr.image.pixels import encode_jpeg
from ocr.synthesis.lines.render import open_lines

SIZES = {"train": 600, "val": 60, "test": 150}


def write_readings(root: Path) -> None:
    """Render the crops and their label files, `rec_train.txt` and the like."""
    (root / "images").mkdir(parents=True)
    lines = open_lines(patterns=["[0-9]{4}"], corpus=None, font_folders=(), strength=0.3, seed=0)
    number = 0
    for split, size in SIZES.items():
        rows = []
        for _ in range(size):
            line = lines.line(number)
            name = f"images/{number:04}.jpg"
            (root / name).write_bytes(encode_jpeg(line.image))
            rows.append(f"{name}\t{line.text}")
            number += 1
        _write(root / f"rec_{split}.txt", rows)


def spoil_training_labels(root: Path) -> None:
    """Give each training crop the label of another one, as a shifted table does."""
    path = root / "rec_train.txt"
    rows = [row.split("\t") for row in path.read_text(encoding="utf-8").splitlines()]
    texts = [text for _, text in rows]
    random.Random(0).shuffle(texts)
    _write(path, [f"{name}\t{text}" for (name, _), text in zip(rows, texts, strict=True)])


def _write(path: Path, rows: list[str]) -> None:
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")

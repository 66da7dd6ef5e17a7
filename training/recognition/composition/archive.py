"""A composition on disk: one .npz file of arrays and text, never pickle."""

import json
import zipfile
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ocr.errors import BadData
from training.recognition.composition.cells import Cells
from training.recognition.composition.composition import Composition
from training.recognition.composition.group import CropGroup, GroupReport
from training.recognition.composition.matte import Matte

Arrays = dict[str, NDArray[Any]]

FORMAT = 1
_MATTE_NAMES = tuple(field.name for field in fields(Matte))
_NAMES = ("indices", "warps", "centres", "widths", *_MATTE_NAMES)


def write_composition(path: Path, composition: Composition) -> None:
    """Write all but the crops themselves."""
    arrays: Arrays = {
        "sizes": composition.sizes,
        "centres": np.concatenate(composition.centres_px),
        "counts": np.array([len(line) for line in composition.centres_px]),
    }
    for number, group in enumerate(composition.groups):
        arrays |= {f"{number}.{name}": array for name, array in _arrays_of(group).items()}
    facts = {
        "format": FORMAT,
        "texts": composition.texts,
        "reports": [asdict(report) for report in composition.reports],
        "groups": [
            {"top": group.cells.top_px, "bottom": group.cells.bottom_px}
            for group in composition.groups
        ],
    }
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, facts=np.array(json.dumps(facts)), **arrays)


def read_composition(path: Path) -> Composition:
    """Read what write_composition wrote.

    Raises:
        BadData: The file is no composition, or of another format.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            facts = json.loads(str(arrays["facts"]))
            return _composition_of(arrays, facts)
    except (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise BadData(f"{path} is no composition: {error}") from error


def _composition_of(arrays: Arrays, facts: dict[str, Any]) -> Composition:
    if facts["format"] != FORMAT:
        raise ValueError(f"format {facts['format']}, expected {FORMAT}")
    texts = tuple(facts["texts"])
    groups = [
        _group_of({name: arrays[f"{number}.{name}"] for name in _NAMES}, fact, texts)
        for number, fact in enumerate(facts["groups"])
    ]
    return Composition(
        texts=texts,
        sizes=arrays["sizes"],
        centres_px=tuple(np.split(arrays["centres"], np.cumsum(arrays["counts"])[:-1])),
        groups=tuple(groups),
        reports=tuple(GroupReport(**report) for report in facts["reports"]),
    )


def _arrays_of(group: CropGroup) -> Arrays:
    mattes = {
        name: np.array([getattr(matte, name) for matte in group.mattes]) for name in _MATTE_NAMES
    }
    cells = {"centres": group.cells.centres_px, "widths": group.cells.widths_px}
    return {"indices": group.indices, "warps": group.warps, **cells, **mattes}


def _group_of(arrays: Arrays, fact: dict[str, int], texts: tuple[str, ...]) -> CropGroup:
    mattes = zip(*(arrays[name] for name in _MATTE_NAMES), strict=True)
    return CropGroup(
        indices=arrays["indices"],
        texts=tuple(texts[index] for index in arrays["indices"]),
        warps=arrays["warps"],
        cells=Cells(arrays["centres"], arrays["widths"], fact["top"], fact["bottom"]),
        mattes=tuple(Matte(*values) for values in mattes),
    )

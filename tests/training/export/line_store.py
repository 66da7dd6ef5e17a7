"""A store with a small dataset of lines and an untrained recogniser whose answers still vary."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
import paddle

from configs.jobs import ExportRecogniserJob
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.image.pixels import Image, encode_png
from ocr.models.recogniser_spec import LineSpec
from ocr.store import Store, open_store
from ocr.store.folder import upload_folder
from tests.ocr.dataset.rules import LINE_LIMITS, NEAR_BITS, SPLIT
from training.loop.checkpoint import Arrays, read_weights
from training.recognition.checkpoint import NetSpec, save_recogniser
from training.recognition.net import RecogniserNetSpec, build_recogniser_net

CHARACTERS = (" ", "'", "0", "1", "A", "~", "沪", "皖")
TRAIN, VAL, TEST = ({n: f"皖A {n}" for n in range(start, start + 16)} for start in (0, 100, 200))
SPREAD = 12
"""Factor of the head's weights: an untrained net would call every frame the same."""


def blotches(number: int) -> Image:
    """A picture full of edges, each of another width."""
    rng = np.random.default_rng(number)
    small = rng.integers(0, 256, (8, int(rng.integers(10, 80)), 3), dtype=np.uint8)
    return np.asarray(cv2.resize(small, None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC), np.uint8)


def line_store(
    root: Path, *, layout: Literal["fixed", "line"], val: Mapping[int, str] = VAL
) -> tuple[Store, ExportRecogniserJob]:
    """Fill a store and return it with the job that exports its checkpoint.

    Args:
        root: A folder for all.
        layout: Of the recogniser.
        val: Texts of the validation split's blotches.
    """
    spec = RecogniserNetSpec(LineSpec(layout, 32, 128), "small", False, CHARACTERS)
    paddle.seed(7)
    weights = varied_weights(build_recogniser_net(spec))
    return fill_store(root, weights=weights, spec=spec, val=val)


def fill_store(
    root: Path, *, weights: Arrays, spec: NetSpec, val: Mapping[int, str] = VAL
) -> tuple[Store, ExportRecogniserJob]:
    """Fill a store with a checkpoint and the dataset, and return it with the job to export it."""
    store = open_store(str(root / "store"))
    job = ExportRecogniserJob(
        store=store.uri,
        snapshot=_store_snapshot(store, root / "data", val=val),
        checkpoint=_store_checkpoint(store, root / "checkpoint", weights=weights, spec=spec),
        name="toy",
        version="v1",
        code_commit="c0ffee",
        parameters={"epochs": 3, "note": "a|b"},
        metrics={"accuracy": 0.25},
        golden_images=12,
        text_model=True,
    )
    return store, job


def _store_snapshot(store: Store, root: Path, *, val: Mapping[int, str]) -> str:
    root.mkdir(parents=True)
    for split, texts in {"train": TRAIN, "val": val, "test": TEST}.items():
        for number in texts:
            (root / f"{number}.png").write_bytes(encode_png(blotches(number)))
        lines = [f"{number}.png\t{text}\n" for number, text in texts.items()]
        (root / f"{split}.txt").write_text("".join(lines), encoding="utf-8")
    labels = LineLabelFiles("paddleocr", root, "train.txt", "val.txt", "test.txt")
    return prepare_lines(
        store,
        name="toy",
        labels=labels,
        limits=LINE_LIMITS,
        split=SPLIT,
        near_duplicate_bits=NEAR_BITS,
    ).key


def _store_checkpoint(store: Store, folder: Path, *, weights: Arrays, spec: NetSpec) -> str:
    folder.mkdir()
    save_recogniser(folder, weights=weights, spec=spec)
    (folder / "manifest.json").write_text("{}", encoding="utf-8")
    upload_folder(store, folder, prefix="checkpoints/toy")
    return "checkpoints/toy"


def varied_weights(net: Any) -> Arrays:
    """Weights of a new net, with which its answers vary."""
    weights = read_weights(net)
    weights["head.weight"] *= SPREAD
    return weights

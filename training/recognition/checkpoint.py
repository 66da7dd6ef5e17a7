"""A recogniser's checkpoint folder: model.npz and spec.json (how to build the net again)."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from training.loop.checkpoint import Arrays, read_spec, restore_net, save_weights
from training.recognition.net import RecogniserNetSpec, build_recogniser_net

SPEC = "spec.json"


def save_recogniser(folder: Path, *, weights: Arrays, spec: RecogniserNetSpec) -> None:
    """Write a checkpoint into an existing folder; spec.json comes last."""
    save_weights(folder, weights)
    text = json.dumps(asdict(spec), ensure_ascii=False, indent=1)
    (folder / SPEC).write_text(text, encoding="utf-8")


def load_recogniser(folder: Path) -> tuple[Any, RecogniserNetSpec]:
    """Return the net, ready to recognise, and its spec.

    Raises:
        BadData: A file is missing or damaged, or the weights do not fit the spec.
    """
    spec = read_spec(folder / SPEC, RecogniserNetSpec)
    return restore_net(folder, build_recogniser_net(spec)), spec

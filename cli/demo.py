"""``make demo``: the whole line on rendered meter readings, then an answer over REST."""

import json
import sys
import time
from pathlib import Path

import cv2
import httpx
from rich.markup import escape

from cli.main import run
from cli.output import ERR, OUT
from configs.presets import load_params
from ocr.image import Image
from ocr.synthesis import open_synthesis


def main() -> None:
    """Run ``ocrline retrain demo``, then ask the gateway about an image it has never seen."""
    started = time.monotonic()
    code = run(["retrain", "demo"])
    if code:
        sys.exit(code)
    params = load_params("demo")
    dataset = params.dataset
    synthesis = open_synthesis(
        kinds=dataset.synthesis.kinds,
        patterns=dataset.synthesis.patterns,
        corpus=None,
        font_folders=[],
        strength=dataset.synthesis.strength,
        seed=dataset.seed,
    )
    line = synthesis.line(dataset.synthesis.count)  # the first that is not in the dataset
    _show_answer(params.deployment.endpoint, params.name, line.image, line.text)
    ERR.print(f"\nthe whole line took {time.monotonic() - started:.0f} s; `ocrline stop` ends it")


def _show_answer(endpoint: str, model: str, image: Image, text: str) -> None:
    path = Path(".ocrline/demo.png")
    cv2.imwrite(str(path), image)
    address = f"{endpoint}/v1/recognize?model={model}"
    reply = httpx.post(
        address, content=path.read_bytes(), headers={"content-type": "image/png"}, timeout=30
    )
    OUT.print(f"\ncurl --data-binary @{path} -H 'content-type: image/png' {address}")
    OUT.print(escape(json.dumps(reply.raise_for_status().json(), ensure_ascii=False)))
    OUT.print(f"written on the image: {escape(text)}")


if __name__ == "__main__":
    main()

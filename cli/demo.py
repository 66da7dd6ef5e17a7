"""``make demo``: the whole line on rendered meter readings, then an answer over REST."""

import json
import shlex
import sys
import time

import cv2
import httpx
import typer

from cli.main import run
from cli.output import ERR, refuse
from configs.presets import load_params
from configs.settings import read_settings
from ocr.image import Image
from ocr.synthesis import open_synthesis

UNAVAILABLE = 5


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
    try:
        show_answer(params.deployment.endpoint, params.name, line.image, line.text)
    except httpx.HTTPError as error:
        said = str(error) or type(error).__name__
        sys.exit(refuse(f"{params.deployment.endpoint} gave no answer: {said}", UNAVAILABLE))
    ERR.print(f"\nthe whole line took {time.monotonic() - started:.0f} s; `ocrline stop` ends it")


def show_answer(endpoint: str, model: str, image: Image, text: str) -> None:
    """Ask a gateway about an image, and print the question, its answer and the truth.

    Raises:
        httpx.HTTPError: It did not answer, or not with 200.
    """
    settings = read_settings()
    path = settings.home / "demo.png"
    cv2.imwrite(str(path), image)
    address = f"{endpoint}/v1/recognize?model={model}"
    headers = {"content-type": "image/png"}
    said = shlex.join(["curl", "--data-binary", f"@{path}", "-H", "content-type: image/png"])
    if settings.token:
        headers["authorization"] = f"Bearer {settings.token}"
        said += ' -H "authorization: Bearer $OCRLINE_TOKEN"'
    reply = httpx.post(
        address, content=path.read_bytes(), headers=headers, timeout=30, trust_env=False
    ).raise_for_status()
    typer.echo(f"\n{said} {shlex.quote(address)}")
    typer.echo(json.dumps(reply.json(), ensure_ascii=False))
    typer.echo(f"written on the image: {text}")


if __name__ == "__main__":
    main()

"""``make demo…``: every stage on rendered images, then new ones over REST."""

import json
import shlex
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import cv2
import httpx
import typer

from cli.main import run
from cli.output import ERR, refuse
from configs.presets import ProjectParams, load_params
from configs.retrain import RetrainPagesParams
from configs.settings import Settings
from ocr.image.pixels import Image
from ocr.synthesis.lines.render import open_lines
from ocr.synthesis.pages.render import open_pages
from tasks.gateway_address import find_endpoint, token_for

UNAVAILABLE = 5
LINES = 5
"""Lines that a gateway for lines is asked to read."""


def main() -> None:
    """Run ``ocrline retrain PRESET [--set KEY=VALUE]…``, then ask the gateway of unseen images."""
    started = time.monotonic()
    words = sys.argv[1:] or ["demo"]
    code = run(["retrain", *words])
    if code:
        sys.exit(code)
    params = load_params(words[0], overrides=[word for word in words[1:] if word != "--set"])
    endpoint = find_endpoint(params.deployment, Settings().home)
    images, texts = draw_unseen(params)
    try:
        if isinstance(params, RetrainPagesParams):
            show_page(endpoint, params.name, images[0], texts)
        else:
            show_lines(endpoint, params.name, images, texts)
    except httpx.HTTPError as error:
        said = str(error) or type(error).__name__
        sys.exit(refuse(f"{endpoint} gave no answer: {said}", UNAVAILABLE))
    ERR.print(f"\nall of it took {time.monotonic() - started:.0f} s; `ocrline down` ends it")


def draw_unseen(params: ProjectParams, *, count: int = LINES) -> tuple[list[Image], list[str]]:
    """Render what comes after a synthetic dataset: a page with its texts, or lines with theirs."""
    seed = params.dataset.seed
    if isinstance(params, RetrainPagesParams):
        of_pages = params.dataset.synthesis
        pages = open_pages(
            kinds=of_pages.kinds, font_folders=[], strength=of_pages.strength, seed=seed
        )
        page = pages.page(of_pages.count)
        return [page.image], [region.text for region in page.regions]
    of_lines = params.dataset.synthesis
    source = open_lines(
        patterns=of_lines.patterns,
        corpus=None,
        font_folders=[],
        strength=of_lines.strength,
        seed=seed,
    )
    lines = [source.line(of_lines.count + number) for number in range(count)]
    return [line.image for line in lines], [line.text for line in lines]


def show_page(endpoint: str, model: str, page: Image, texts: Sequence[str]) -> None:
    """Ask a gateway to read a page; print the question, every line of the answer, and a count.

    Raises:
        httpx.HTTPError: It did not answer, or not with 200.
    """
    answer = _ask(f"{endpoint}/v1/ocr?model={model}", [page])
    lines = answer["pages"][0]["lines"]
    for line in lines:
        typer.echo(json.dumps(line, ensure_ascii=False))
    there = Counter(texts)
    read = (there & Counter(line["text"] for line in lines)).total()
    typer.echo(
        f"{answer['model']}:{answer['version']} read {read} of the {there.total()} texts "
        f"on the page exactly; drop it on {endpoint}/ to see them"
    )


def show_lines(endpoint: str, model: str, lines: Sequence[Image], texts: Sequence[str]) -> None:
    """Ask a gateway to read lines; print the question, every answer, and a count.

    Raises:
        httpx.HTTPError: It did not answer, or not with 200.
    """
    answer = _ask(f"{endpoint}/v1/recognize?model={model}", lines)
    for result in answer["results"]:
        typer.echo(json.dumps(result, ensure_ascii=False))
    found = [result["text"] for result in answer["results"]]
    read = sum(one == text for one, text in zip(found, texts, strict=True))
    typer.echo(
        f"{answer['model']}:{answer['version']} read {read} of {len(texts)} lines exactly: "
        f"{', '.join(texts)}"
    )


def _ask(address: str, images: Sequence[Image]) -> Any:
    """Post images as the fields of a form; print how to ask the same by hand."""
    settings = Settings()
    paths = [settings.home / f"demo-{number}.png" for number in range(1, len(images) + 1)]
    for path, image in zip(paths, images, strict=True):
        cv2.imwrite(str(path), image)
    said = shlex.join(["curl", *(word for path in paths for word in ("-F", f"image=@{path}"))])
    headers = {}
    if token := token_for(address.partition("/v1/")[0], settings):
        headers["authorization"] = f"Bearer {token}"
        said += ' -H "authorization: Bearer $OCRLINE_TOKEN"'
    typer.echo(f"\n{said} {shlex.quote(address)}")
    files = [("image", (path.name, path.read_bytes(), "image/png")) for path in paths]
    reply = httpx.post(address, files=files, headers=headers, timeout=60, trust_env=False)
    return reply.raise_for_status().json()


if __name__ == "__main__":
    main()

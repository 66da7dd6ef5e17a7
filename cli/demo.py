"""``make demo``: every stage on rendered invoices, then a page read over REST."""

import json
import shlex
import sys
import time
from collections import Counter
from collections.abc import Sequence

import cv2
import httpx
import typer

from cli.main import run
from cli.output import ERR, refuse
from configs.presets import load_params
from configs.retrain import RetrainPagesParams
from configs.settings import Settings
from ocr.dataset.pages.region import Region
from ocr.image.pixels import Image
from ocr.synthesis.pages.render import open_pages

UNAVAILABLE = 5


def main() -> None:
    """Run ``ocrline retrain demo``, then ask the gateway about a page it has never seen."""
    started = time.monotonic()
    code = run(["retrain", "demo"])
    if code:
        sys.exit(code)
    params = load_params("demo")
    if not isinstance(params, RetrainPagesParams):
        raise TypeError("the demo is a project of pages")
    synthesis = params.dataset.synthesis
    pages = open_pages(
        kinds=synthesis.kinds,
        font_folders=[],
        strength=synthesis.strength,
        seed=params.dataset.seed,
    )
    page = pages.page(synthesis.count)  # the first that is not in the dataset
    try:
        show_answer(params.deployment.endpoint, params.name, page.image, page.regions)
    except httpx.HTTPError as error:
        said = str(error) or type(error).__name__
        sys.exit(refuse(f"{params.deployment.endpoint} gave no answer: {said}", UNAVAILABLE))
    ERR.print(f"\nall of it took {time.monotonic() - started:.0f} s; `ocrline stop` ends it")


def show_answer(endpoint: str, model: str, page: Image, regions: Sequence[Region]) -> None:
    """Ask a gateway to read a page; print the question, every line of the answer, and a count.

    Raises:
        httpx.HTTPError: It did not answer, or not with 200.
    """
    settings = Settings()
    path = settings.home / "demo.png"
    cv2.imwrite(str(path), page)
    address = f"{endpoint}/v1/ocr?model={model}"
    headers = {"content-type": "image/png"}
    said = shlex.join(["curl", "--data-binary", f"@{path}", "-H", "content-type: image/png"])
    if settings.token:
        headers["authorization"] = f"Bearer {settings.token}"
        said += ' -H "authorization: Bearer $OCRLINE_TOKEN"'
    reply = httpx.post(
        address, content=path.read_bytes(), headers=headers, timeout=60, trust_env=False
    ).raise_for_status()
    answer = reply.json()
    lines = answer["pages"][0]["lines"]
    typer.echo(f"\n{said} {shlex.quote(address)}")
    for line in lines:
        typer.echo(json.dumps(line, ensure_ascii=False))
    there = Counter(region.text for region in regions)
    read = (there & Counter(line["text"] for line in lines)).total()
    typer.echo(
        f"{answer['model']}:{answer['version']} read {read} of the {there.total()} texts "
        f"on the page exactly; drop it on {endpoint}/ to see them"
    )


if __name__ == "__main__":
    main()

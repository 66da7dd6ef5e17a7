"""Pages and crops at once: what each costs the other.

    python -m bench.serve.mixed PIPELINE [--seconds 10]

The champion of PIPELINE is served. wrk asks for its golden pages, and for the golden crops of its
recogniser.
"""

import argparse
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import Final

from rich.console import Console
from rich.table import Table

from bench.serve.peers import wrk
from bench.serve.peers.servers import MAX_PIXELS, gateway, read_crops
from bench.serve.peers.wrk import Questions
from ocr.image.pixels import decode_image, encode_jpeg
from ocr.models.golden import read_golden_pages
from ocr.models.pipeline import read_pipeline
from tasks.workspace import open_workspace

JPEG: Final = {"Content-Type": "image/jpeg"}
ROWS: Final = (
    ("1 page client", 1, 0),
    ("4 page clients", 4, 0),
    ("8 crop clients", 0, 8),
    ("1 page and 8 crop clients", 1, 8),
    ("4 page and 8 crop clients", 4, 8),
)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.serve.mixed", description=__doc__)
    parser.add_argument("pipeline")
    parser.add_argument("--seconds", type=float, default=10.0, help="per row")
    options = parser.parse_args()
    wrk.find_wrk()
    workspace = open_workspace()
    version = workspace.registry.resolve(options.pipeline)
    bundle = workspace.fetch_bundle(version)
    recogniser = workspace.registry.resolve(read_pipeline(bundle).recogniser)
    crops = read_crops(workspace.fetch_bundle(recogniser))
    pages = [
        encode_jpeg(decode_image(page.image.read_bytes(), max_pixels=MAX_PIXELS))
        for page in read_golden_pages(bundle)
    ]
    asked_pages = Questions("/v1/ocr", JPEG, [(page, b'"pages":') for page in pages])
    with gateway(workspace.store.uri, version.name, "onnxruntime", crops) as running:
        table = Table("", "pages/s", "p50 ms", "p99 ms", "crops/s", "p50 ms", "p99 ms")
        for what, page_clients, crop_clients in ROWS:
            with ThreadPoolExecutor(2) as threads:
                found = threads.map(
                    partial(_ask, running.port, seconds=options.seconds),
                    (asked_pages, running.questions),
                    (page_clients, crop_clients),
                )
                table.add_row(what, *chain.from_iterable(found))
    Console().print(table)


def _ask(port: int, questions: Questions, clients: int, *, seconds: float) -> list[str]:
    if not clients:
        return ["", "", ""]
    counted = wrk.ask(port, questions, connections=clients, seconds=seconds)
    if counted["errors"] or counted["wrong"]:
        raise RuntimeError(f"{counted['errors']} errors, {counted['wrong']} wrong answers")
    rate = counted["requests"] / counted["seconds"]
    return [f"{rate:.1f}", f"{counted['p50_ms']:.1f}", f"{counted['p99_ms']:.1f}"]


if __name__ == "__main__":
    main()

"""The page at /docs: FastAPI's own loads its scripts from elsewhere, closed machines cannot."""

import json
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

RECOGNIZE: Final = "'{address}v1/recognize?model=NAME'"
PREDICT: Final = """'{{"key": ["image"], "value": ["'$(base64 -w0 page.jpg)'"]}}'"""
PADDLEX: Final = """'{{"file": "'$(base64 -w0 page.jpg)'", "fileType": 1}}'"""
JSON: Final = """'{{"images": ["'$(base64 -w0 crop.jpg)'"]}}'"""
OCR: Final = "'{address}v1/ocr?model=NAME'"
DOCUMENT: Final = """'{{"document": "'$(base64 -w0 page.jpg)'", "annotate": true}}'"""
EXAMPLES: Final = {
    "/v1/ocr": (
        f"curl --data-binary @page.jpg -H 'Content-Type: image/jpeg' {OCR}",
        f"curl --data-binary @pages.pdf -H 'Content-Type: application/pdf' {OCR[:-1]}&pages=1-3'",
        f"curl -F document=@page.png {OCR}",
        f"echo {DOCUMENT} | curl --json @- {OCR}",
    ),
    "/{name}/prediction": (f"echo {PREDICT} | curl --json @- '{{address}}NAME/prediction'",),
    "/ocr": (f"echo {PADDLEX} | curl --json @- '{{address}}ocr'",),
    "/v1/recognize": (
        f"curl --data-binary @crop.jpg -H 'Content-Type: image/jpeg' {RECOGNIZE}",
        f"curl -F image=@one.png -F image=@two.png {RECOGNIZE}",
        f"echo {JSON} | curl --json @- {RECOGNIZE}",
    ),
}

HERE: Final = "http://here.invalid/"
PAGE: Final = Environment(
    autoescape=True, undefined=StrictUndefined, loader=FileSystemLoader(Path(__file__).parent)
).get_template("docs.html.jinja")


class DocsPage:
    """The page, rendered once: it takes 20 ms, in which nobody else is answered."""

    def __init__(self) -> None:
        self._page = ""

    def show(self, describe: Callable[[], Mapping[str, Any]], *, address: str) -> str:
        """Return the page of an API as it is asked at an address."""
        self._page = self._page or render_docs(describe(), address=HERE)
        return self._page.replace(HERE, escape(address))


def render_docs(api: Mapping[str, Any], *, address: str) -> str:
    """Render an OpenAPI description as one page without scripts."""

    def examples(path: str) -> list[str]:
        plain = path.removeprefix("/").replace("{name}", "NAME")
        curls = EXAMPLES.get(path, (f"curl '{{address}}{plain}'",))
        return [curl.format(address=address) for curl in curls]

    schemas = json.dumps(api.get("components", {}).get("schemas", {}), indent=1)
    operations = {
        path: {
            method: {"parameters": [], "requestBody": None, **operation}
            for method, operation in methods.items()
        }
        for path, methods in api["paths"].items()
    }
    return PAGE.render(api={**api, "paths": operations}, examples=examples, schemas=schemas)

"""The page at /docs: FastAPI's own loads its scripts from elsewhere, closed machines cannot."""

import json
from collections.abc import Mapping
from typing import Any, Final

from jinja2 import Environment, StrictUndefined

RECOGNIZE: Final = "'{address}v1/recognize?model=NAME'"
JSON: Final = """'{{"images": ["'$(base64 -w0 crop.jpg)'"]}}'"""
OCR: Final = "'{address}v1/ocr?model=NAME'"
DOCUMENT: Final = """'{{"document": "'$(base64 -w0 page.jpg)'", "annotate": true}}'"""
EXAMPLES: Final = {
    "/v1/ocr": (
        f"curl --data-binary @page.jpg -H 'Content-Type: image/jpeg' {OCR}",
        f"curl --data-binary @pages.pdf -H 'Content-Type: application/pdf' {OCR[:-1]}&pages=3'",
        f"curl -F document=@page.png {OCR}",
        f"echo {DOCUMENT} | curl --json @- {OCR}",
    ),
    "/v1/recognize": (
        f"curl --data-binary @crop.jpg -H 'Content-Type: image/jpeg' {RECOGNIZE}",
        f"curl -F image=@one.png -F image=@two.png {RECOGNIZE}",
        f"echo {JSON} | curl --json @- {RECOGNIZE}",
    ),
}

PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ api.info.title }}</title>
<style>
 :root { color-scheme: light dark }
 body { font: 16px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
 h2 { margin-top: 2.5rem; border-bottom: 1px solid #8886; font-size: 1.1rem }
 pre { background: #8882; padding: .6rem; white-space: pre-wrap; overflow-wrap: anywhere }
 td, th { text-align: left; vertical-align: top; padding: .1rem 1rem .1rem 0 }
 .method { color: #0a7d5a; font-weight: 700 }
</style></head><body>
<h1>{{ api.info.title }} {{ api.info.version }}</h1>
<p>{{ api.info.description }} Machine-readable: <a href="openapi.json">openapi.json</a>.</p>
{% for path, operations in api.paths.items() %}{% for method, operation in operations.items() %}
<h2><span class="method">{{ method | upper }}</span> <code>{{ path }}</code></h2>
<p>{{ operation.summary }}</p>
{% for parameter in operation.parameters %}
<p><code>?{{ parameter.name }}=</code> {{ parameter.description }}.</p>
{% endfor %}
{% if operation.requestBody %}
<p>Body: {% for kind in operation.requestBody.content %}<code>{{ kind }}</code> {% endfor %}</p>
{% endif %}
{% for example in examples(path) %}<pre>{{ example }}</pre>{% endfor %}
<table>{% for status, response in operation.responses.items() %}
<tr><th>{{ status }}</th><td>{{ response.description }}</td></tr>
{% endfor %}</table>
{% endfor %}{% endfor %}
<h2>Schemas</h2>
<pre>{{ schemas }}</pre>
<p>Every error is <code>{"error": {"code", "message", "request_id"}}</code>, with
<code>index</code> when it is about one image of several. Send <code>x-request-id</code>
to find your request in both logs.</p>
</body></html>
"""


def render_docs(api: Mapping[str, Any], *, address: str) -> str:
    """Render an OpenAPI description as one page without scripts."""
    page = Environment(autoescape=True, undefined=StrictUndefined).from_string(PAGE)

    def examples(path: str) -> list[str]:
        curls = EXAMPLES.get(path, (f"curl '{{address}}{path.removeprefix('/')}'",))
        return [curl.format(address=address) for curl in curls]

    schemas = json.dumps(api.get("components", {}).get("schemas", {}), indent=1)
    operations = {
        path: {
            method: {"parameters": [], "requestBody": None, **operation}
            for method, operation in methods.items()
        }
        for path, methods in api["paths"].items()
    }
    return page.render(api={**api, "paths": operations}, examples=examples, schemas=schemas)

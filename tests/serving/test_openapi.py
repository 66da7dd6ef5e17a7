"""Whatever the OpenAPI description allows, and more, gets an answer that it describes: no 5xx."""

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from serving.dialects.kserve import KserveError
from serving.dialects.paddle_serving import PipelineAnswer
from serving.dialects.paddlex import OcrStatus
from serving.rest.edge import PROBES
from serving.rest.openapi import ErrorAnswer
from tests.serving.conftest import serving_pages
from tests.serving.gateway import Gateway, running_gateway

CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_schema_conformance,response_headers_conformance"
)
CONFIG = """
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", 504]
"""
"""504 is what a request asks for that waits for some milliseconds, as x-request-timeout may say."""
REFUSALS: dict[str, type[BaseModel]] = {
    each.__name__: each for each in (ErrorAnswer, KserveError, OcrStatus, PipelineAnswer)
}
SCHEMATHESIS = str(Path(sys.executable).with_name("schemathesis"))


@pytest.mark.timeout(600)
def test_no_request_breaks_the_gateway_or_its_description(
    page_gateway: Gateway, tmp_path: Path
) -> None:
    (tmp_path / "schemathesis.toml").write_text(CONFIG)

    found = subprocess.run(
        [
            SCHEMATHESIS,
            *("run", f"{page_gateway.url}/openapi.json", "--checks", CHECKS, "--seed", "1"),
            *("--max-examples", "50", "--no-color"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert found.returncode == 0, found.stdout[-5000:]
    assert "Tested: 15" in found.stdout


def test_generated_clients_get_names_that_a_person_would_give(page_gateway: Gateway) -> None:
    api = page_gateway.get("/openapi.json").json()

    names = {one["operationId"] for path in api["paths"].values() for one in path.values()}
    assert {"recognize", "read_document", "live", "paddlex_infer", "kserve_live"} <= names
    assert len(names) == sum(len(path) for path in api["paths"].values())
    assert not [name for name in names if "__" in name or name.endswith(("_get", "_post"))]


def test_every_route_says_who_may_ask_and_how_a_request_is_named(page_gateway: Gateway) -> None:
    api = page_gateway.get("/openapi.json").json()

    assert api["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    operations = {
        path: operation for path, one in api["paths"].items() for operation in one.values()
    }
    open_ones = {path for path, one in operations.items() if {} in one["security"]}
    assert open_ones == PROBES
    assert all({"key": []} in one["security"] for one in operations.values())
    for operation in operations.values():
        asked = {one["name"] for one in operation["parameters"] if one["in"] == "header"}
        assert asked == {"x-request-id", "x-request-timeout"}
        assert all("x-request-id" in one["headers"] for one in operation["responses"].values())
    ours = operations["/v1/ocr"]["responses"]
    for path in ("/v1/ocr", "/ocr"):
        said = operations[path]["responses"]["200"]["headers"]
        assert set(said) == {"x-request-id", "x-model"}
    assert set(ours["503"]["headers"]) == {"x-request-id", "retry-after"}
    assert set(ours["401"]["headers"]) == {"x-request-id", "www-authenticate"}
    assert ours["200"]["content"]["application/pdf"]["schema"]["format"] == "binary"


def test_who_is_not_let_in_is_told_so_as_each_route_says(tmp_path: Path) -> None:
    with serving_pages(tmp_path, OCRLINE_TOKEN="hush") as gateway:
        key = {"authorization": "Bearer hush"}
        paths = gateway.get("/openapi.json", headers=key).json()["paths"]
        met = set()
        for path, operations in paths.items():
            for method, operation in operations.items():
                if {} not in operation["security"]:
                    reply = gateway.http.request(method, path.replace("{name}", "bars"))
                    responses = operation["responses"]
                    said = responses.get("401") or responses["default"]
                    schema = said["content"]["application/json"]["schema"]
                    first = schema["anyOf"][0] if "anyOf" in schema else schema
                    name = first["$ref"].rpartition("/")[2]
                    assert reply.status_code == 401, path
                    REFUSALS[name].model_validate(reply.json())
                    met.add(name)

    assert met == set(REFUSALS)


def test_who_is_not_ready_says_when_to_ask_again(tmp_path: Path) -> None:
    with running_gateway(tmp_path / "home", store=str(tmp_path / "store")) as gateway:
        replies = [gateway.get(path) for path in ("/health/ready", "/v2/health/ready")]

    assert [(each.status_code, each.headers["retry-after"]) for each in replies] == [(503, "1")] * 2


@pytest.mark.parametrize("path", ["/v2", "/ocr", "/bars/prediction"])
def test_what_is_refused_of_a_connection_is_described_at_every_route(
    page_gateway: Gateway, path: str
) -> None:
    api = page_gateway.get("/openapi.json").json()
    template = "/{name}/prediction" if path.startswith("/bars") else path
    (operation,) = api["paths"][template].values()

    reply = page_gateway.get(path, headers={"x-long": "x" * 100_000})

    said = operation["responses"].get("431") or operation["responses"]["default"]
    kinds = [each["$ref"] for each in said["content"]["application/json"]["schema"]["anyOf"]]
    assert "#/components/schemas/ErrorAnswer" in kinds
    assert reply.status_code == 431
    ErrorAnswer.model_validate(reply.json())


def test_a_client_may_wait_for_any_decimals(page_gateway: Gateway) -> None:
    waits = {"x-request-timeout": str(0.1 + 0.2)}

    assert page_gateway.get("/v2", headers=waits).status_code == 200


def test_what_is_served_and_which_files_are_needed_is_described(page_gateway: Gateway) -> None:
    api = page_gateway.get("/openapi.json").json()
    schemas, paths = api["components"]["schemas"], api["paths"]
    told = {path: paths[path]["post"]["requestBody"] for path in ("/v1/ocr", "/v1/recognize")}
    needed = {
        path: body["content"]["multipart/form-data"]["schema"]["required"]
        for path, body in told.items()
    }

    (model, *_) = page_gateway.get("/v1/models").json()["models"]

    assert needed == {"/v1/ocr": ["document"], "/v1/recognize": ["image"]}
    assert set(schemas["ServedModel"]["properties"]) == set(model)


def test_docs_name_the_formats(page_gateway: Gateway) -> None:
    assert "What to answer with: json, ndjson, hocr, pdf." in page_gateway.get("/docs").text

"""Health and metadata as clients of KServe ask for them."""

import pytest

from tests.serving.gateway import Gateway


def test_health_and_metadata(page_gateway: Gateway) -> None:
    assert page_gateway.get("/v2/health/live").json() == {"live": True}
    assert page_gateway.get("/v2/health/ready").json() == {"ready": True}
    assert page_gateway.get("/v2").json()["name"] == "ocrline"
    assert page_gateway.get("/v2/models/bars/ready").json() == {"ready": True}
    model = page_gateway.get("/v2/models/bars").json()
    assert (model["name"], model["versions"], model["platform"]) == (
        "bars",
        ["v1"],
        "ocrline_onnxruntime",
    )
    assert {each["datatype"] for each in (*model["inputs"], *model["outputs"])} == {"BYTES"}


def test_a_model_that_is_not_there(page_gateway: Gateway) -> None:
    missing = page_gateway.get("/v2/models/none")

    assert (missing.status_code, missing.json().keys()) == (404, {"error"})
    assert page_gateway.get("/v2/models/none/ready").status_code == 404


def test_the_version_that_is_served_is_known_by_its_path_and_no_other(
    page_gateway: Gateway,
) -> None:
    served = "/v2/models/bars/versions/v1"

    assert page_gateway.get(served).json() == page_gateway.get("/v2/models/bars").json()
    assert page_gateway.get(f"{served}/ready").json() == {"ready": True}
    for path in ("/v2/models/bars/versions/v9", "/v2/models/bars/versions/v9/ready"):
        reply = page_gateway.get(path)
        assert (reply.status_code, reply.json()) == (
            404,
            {"error": "bars is served as v1, not as 'v9'"},
        )


@pytest.mark.parametrize("path", ["/v2/models/bars/infer", "/v2/models/bars/versions/v1/infer"])
def test_who_sends_tensors_is_told_where_images_are_read(page_gateway: Gateway, path: str) -> None:
    reply = page_gateway.post(path, json={"inputs": []})

    assert (reply.status_code, reply.json()) == (
        422,
        {"error": "Tensors are not taken: POST the image itself to /v1/ocr or /v1/recognize"},
    )


@pytest.mark.parametrize("path", ["/v2/models/bars/config", "/v2/repository/index"])
def test_a_path_that_there_is_not_is_refused_in_the_protocols_shape(
    page_gateway: Gateway, path: str
) -> None:
    reply = page_gateway.post(path)

    assert (reply.status_code, reply.json()) == (
        404,
        {"error": f"POST {path}: Not Found; see /docs"},
    )

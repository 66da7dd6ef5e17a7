"""Health and metadata as clients of KServe ask for them."""

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

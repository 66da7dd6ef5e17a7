"""Every way to send crops, and every kind of image that must be read."""

import base64
import io
from typing import Any

import numpy as np
import PIL.Image
import pytest

from tests.serving.gateway import Gateway
from tests.serving.tiny_bundle import draw, png

TEXTS = ["2026", "7", "31415926", "00"]


def rgb(digits: str) -> PIL.Image.Image:
    return PIL.Image.fromarray(draw(digits))


def encode(image: PIL.Image.Image, format_name: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    image.save(stream, format_name, **options)
    return stream.getvalue()


def sixteen_bits(digits: str) -> bytes:
    grey = draw(digits)[..., 0].astype(np.uint16) * 257
    return encode(PIL.Image.fromarray(grey), "PNG")


def texts_of(reply: Any) -> list[str]:
    return [result["text"] for result in reply.raise_for_status().json()["results"]]


UNUSUAL = {
    "16-bit PNG": sixteen_bits("2026"),
    "grey PNG": encode(rgb("2026").convert("L"), "PNG"),
    "palette PNG": encode(rgb("2026").convert("P"), "PNG"),
    "RGBA PNG": encode(rgb("2026").convert("RGBA"), "PNG"),
    "CMYK JPEG": encode(rgb("2026").convert("CMYK"), "JPEG", quality=100, subsampling=0),
    "JPEG": encode(rgb("2026"), "JPEG", quality=100, subsampling=0),
    "WebP": encode(rgb("2026"), "WEBP", lossless=True),
    "BMP": encode(rgb("2026"), "BMP"),
    "TIFF": encode(rgb("2026"), "TIFF"),
    "animated GIF, its first frame": encode(
        rgb("2026").convert("L"), "GIF", save_all=True, append_images=[rgb("1999").convert("L")]
    ),
}


@pytest.mark.parametrize("kind", UNUSUAL)
def test_unusual_image_is_read(gateway: Gateway, kind: str) -> None:
    reply = gateway.post(content=UNUSUAL[kind], headers={"content-type": "image/*"})

    assert texts_of(reply) == ["2026"]


def test_a_damaged_image_writes_nothing_to_the_log(gateway: Gateway) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (1500, 600), np.uint8)
    fax = encode(PIL.Image.fromarray(noise).convert("1"), "TIFF", compression="group3")
    damaged = fax[:2000] + fax[2000:-2000][::-1] + fax[-2000:]
    before = gateway.log.read_text()

    reply = gateway.post(content=damaged, headers={"content-type": "image/tiff"})

    assert len(texts_of(reply)) == 1  # libtiff takes damaged rows for white ones, and says so
    assert gateway.log.read_text() == before


def test_raw_body_is_read_with_the_version_named(gateway: Gateway) -> None:
    reply = gateway.post(content=png("123"), headers={"content-type": "application/octet-stream"})

    answer = reply.json()
    assert answer["results"][0]["text"] == "123"
    assert answer["results"][0]["confidence"] == pytest.approx(1, abs=0.01)
    assert (answer["model"], answer["version"]) == ("bars", "v1")


def test_multipart_files_are_read_in_their_order(gateway: Gateway) -> None:
    reply = gateway.post(files=[("image", ("a.png", png(text))) for text in TEXTS])

    assert texts_of(reply) == TEXTS


def test_json_images_are_read_in_their_order(gateway: Gateway) -> None:
    images = [base64.b64encode(png(text)).decode() for text in TEXTS]

    assert texts_of(gateway.post(json={"images": images})) == TEXTS


def test_json_image_may_be_a_wrapped_data_uri(gateway: Gateway) -> None:
    wrapped = base64.encodebytes(png("2026")).decode()

    assert texts_of(gateway.post(json={"image": f"data:image/png;base64,{wrapped}"})) == ["2026"]
    assert texts_of(gateway.post(json={"image": f"DATA:image/png;BASE64,{wrapped}"})) == ["2026"]


def test_model_may_be_named(gateway: Gateway) -> None:
    assert gateway.read(png("5"), model="bars") == ("5", "v1")


def test_docs_load_nothing_from_elsewhere(gateway: Gateway) -> None:
    page = gateway.get("/docs").text

    assert "/v1/recognize" in page
    assert "curl" in page
    assert "<script" not in page
    assert "src=" not in page
    assert "https://" not in page


def test_openapi_describes_every_way_to_send(gateway: Gateway) -> None:
    operation = gateway.get("/openapi.json").json()["paths"]["/v1/recognize"]["post"]

    assert set(operation["requestBody"]["content"]) >= {"image/*", "application/json"}
    assert {"400", "404", "413", "415", "422", "503"} <= set(operation["responses"])


def test_metrics_count_requests_by_route_and_status(gateway: Gateway) -> None:
    sample = 'ocrline_requests_total{method="POST",route="/v1/recognize",status="200"}'
    before = gateway.metric(sample)

    gateway.read(png("1"))

    assert gateway.metric(sample) == before + 1
    assert gateway.metric('ocrline_model_info{engine="onnxruntime",model="bars",version="v1"}') == 1


def test_metrics_have_no_label_that_a_client_can_invent(gateway: Gateway) -> None:
    gateway.get("/invented-path")
    gateway.post("/v1/recognize?model=invented-model", content=b"x")

    assert "invented" not in gateway.get("/metrics").text


@pytest.mark.parametrize(
    ("before", "name"),
    [(b"", b"filename*=UTF-8''%E4%B8%AD.png"), (b"A message in parts.\r\n", b'filename="a.png"')],
)
def test_multipart_of_mail_libraries_is_read(gateway: Gateway, before: bytes, name: bytes) -> None:
    head = b'--cut\r\nContent-Disposition: form-data; name="image"; ' + name
    body = before + head + b"\r\nContent-Type: image/png\r\n\r\n" + png("42") + b"\r\n--cut--"

    reply = gateway.post(
        content=body, headers={"content-type": "multipart/form-data; boundary=cut"}
    )

    assert [result["text"] for result in reply.raise_for_status().json()["results"]] == ["42"]

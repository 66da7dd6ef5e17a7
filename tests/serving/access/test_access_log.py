"""The access log of a real gateway: a line a request, and nothing of what was sent."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from ocr.errors import BadInput
from serving.access.access_log import AccessLog, AccessRecord
from serving.access.key_file import add_key
from tests.ocr.image.documents import tiff
from tests.serving.conftest import serving_pages
from tests.serving.gateway import wait_until
from tests.serving.tiny_bundle import png
from tests.serving.tiny_pipeline import draw_page, page_png


def test_a_request_is_a_line_and_what_was_sent_is_no_part_of_it(tmp_path: Path) -> None:
    log = tmp_path / "access.jsonl"
    key = add_key(tmp_path / "keys.json", name="orders")
    headers = {"authorization": f"Bearer {key}", "x-request-id": "order-7"}
    picture = base64.b64encode(png("4")).decode()
    settings = {"OCRLINE_ACCESS_LOG": str(log), "OCRLINE_KEYS": str(tmp_path / "keys.json")}

    with serving_pages(tmp_path / "g", **settings) as gateway:
        log.unlink()  # as a rotation does; what was asked while it started goes with it
        gateway.post("/v1/recognize?model=bars", json={"image": picture}, headers=headers)
        gateway.post("/v1/ocr?model=pages", files={"document": page_png("42")}, headers=headers)
        gateway.post("/ocr?model=pages", json={"file": "#", "fileType": 1}, headers=headers)
        gateway.get("/v1/models")
        gateway.get("/health/ready")
        wait_until(lambda: len(read(log)) == 4, log=gateway.log)
        problems = gateway.get("/metrics", headers=headers).text

    crop, page, bad, refused, _ = read(log)
    told = {name: crop[name] for name in ("request_id", "caller", "route", "status", "code")}
    assert told == {
        "request_id": "order-7",
        "caller": "orders",
        "route": "/v1/recognize",
        "status": 200,
        "code": "",
    }
    assert (crop["model"], crop["version"], crop["items"]) == ("bars", "v1", 1)
    assert (page["model"], page["version"], page["items"]) == ("pages", "p1", 1)
    assert (crop["client"], crop["method"]) == ("127.0.0.1", "POST")
    assert crop["received"] == len(picture) + len('{"image":""}')
    assert crop["sent"] > 100
    assert crop["seconds"] > 0
    assert (bad["status"], bad["code"], bad["items"]) == (400, "bad_base64", 0)
    assert (refused["status"], refused["code"], refused["caller"]) == (401, "unauthorized", "")
    assert 'ocrline_problems_total{code="bad_base64",route="/ocr"} 1.0' in problems
    written = log.read_text()
    assert not any(secret in written for secret in (picture[:40], key, "model=bars"))


def test_only_what_was_read_is_counted(tmp_path: Path) -> None:
    log = tmp_path / "access.jsonl"
    crops = [("image", ("a.png", content)) for content in (png("4"), b"junk", b"")]
    pages = tiff([draw_page(["1"]), draw_page(["2"] * 100)])  # more pixels than are taken

    with serving_pages(tmp_path / "g", OCRLINE_ACCESS_LOG=str(log)) as gateway:
        log.unlink()
        gateway.post("/v1/recognize?model=bars&partial=true", files=crops)
        gateway.post("/v1/ocr?model=pages&partial=true", files={"document": pages})
        images = gateway.metric('ocrline_images_total{model="bars"}')

    assert [(line["status"], line["items"]) for line in read(log)[:2]] == [(200, 1), (200, 1)]
    assert images == 1


def test_it_never_ends_a_gateway_that_its_disk_is_full(
    caplog: pytest.LogCaptureFixture,
) -> None:
    log = AccessLog("/dev/full")

    for _ in range(3):
        log.write(AccessRecord("1", "GET", "/"))
    log.close()

    assert [record.getMessage() for record in caplog.records] == [
        "the access log cannot be written: [Errno 28] No space left on device"
    ]


def test_a_file_that_cannot_be_written_is_told_of_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"OCRLINE_ACCESS_LOG=.*nowhere.* cannot be written"):
        AccessLog(str(tmp_path / "nowhere" / "access.jsonl"))


def read(log: Path) -> list[dict[str, Any]]:
    text = log.read_text() if log.exists() else ""
    whole, _, _ = text.rpartition("\n")  # the last one may be on its way
    return [json.loads(line) for line in whole.splitlines()]

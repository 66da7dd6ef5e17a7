"""The gateway over a real MinIO server that is killed and comes back."""

import os
import subprocess
from pathlib import Path

from ocr.models.registry import Registry
from ocr.store import open_store
from tests.minio_server import ACCESS_KEY, SECRET_KEY, running_minio
from tests.serving.gateway import running_gateway, wait_until
from tests.serving.tiny_bundle import DIGITS, LETTERS, png, reading, register

STORE = "s3://ocrline-serving/line"


def test_killed_object_store_stops_no_answer_and_is_followed_again(tmp_path: Path) -> None:
    with running_minio(tmp_path) as (keys, process):
        registry = Registry(open_store(STORE, s3=keys))
        register(registry, tmp_path / "made", version="v1", characters=DIGITS)
        register(registry, tmp_path / "made", version="v2", characters=LETTERS)
        registry.promote("bars", "v1", reason="first")
        variables = {
            "MINIO_ENDPOINT": keys.endpoint,
            "MINIO_ACCESS_KEY": keys.access_key,
            "MINIO_SECRET_KEY": keys.secret_key,
        }
        with running_gateway(tmp_path / "home", store=STORE, **variables) as gateway:
            gateway.wait_ready()
            process.kill()
            process.wait()
            wait_until(lambda: gateway.metric("ocrline_store_up") == 0, log=gateway.log)

            ready = gateway.get("/health/ready")
            assert (ready.status_code, ready.json()["warning"]) == (
                200,
                "the store does not answer",
            )
            assert gateway.read(png("64")) == ("64", "v1")

            restarted = _restart(process, tmp_path)
            try:
                wait_until(lambda: gateway.metric("ocrline_store_up") == 1, log=gateway.log)
                registry.promote("bars", "v2", reason="after the outage")
                gateway.wait_for("v2")
                assert gateway.read(png("64")) == (reading("64", LETTERS), "v2")
            finally:
                restarted.kill()
                restarted.wait()


def _restart(process: "subprocess.Popen[bytes]", folder: Path) -> "subprocess.Popen[bytes]":
    assert isinstance(process.args, list)
    keys = {"MINIO_ROOT_USER": ACCESS_KEY, "MINIO_ROOT_PASSWORD": SECRET_KEY}
    with (folder / "minio-again.log").open("wb") as log:
        return subprocess.Popen(
            process.args,
            env={**os.environ, **keys, "MINIO_BROWSER": "off", "HOME": str(folder)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )

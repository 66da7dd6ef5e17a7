"""The gateway over a real MinIO server that is killed and comes back."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

from minio import MinioAdmin
from minio.credentials.providers import StaticProvider

from ocr.models.registry import Registry
from ocr.store import S3Credentials, open_store
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
        with running_gateway(tmp_path / "home", store=STORE, **variables_of(keys)) as gateway:
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


def variables_of(keys: S3Credentials) -> dict[str, str]:
    return {
        "MINIO_ENDPOINT": keys.endpoint,
        "MINIO_ACCESS_KEY": keys.access_key,
        "MINIO_SECRET_KEY": keys.secret_key,
    }


def test_a_gateway_whose_key_is_taken_back_says_so_and_goes_on(tmp_path: Path) -> None:
    with running_minio(tmp_path) as (keys, _):
        registry = Registry(open_store(STORE, s3=keys))
        register(registry, tmp_path / "made", version="v1", characters=DIGITS)
        registry.promote("bars", "v1", reason="first")
        admin = MinioAdmin(
            endpoint=keys.endpoint,
            credentials=StaticProvider(keys.access_key, keys.secret_key),
            secure=False,
        )
        admin.user_add("gateway", "gateway-secret")
        admin.attach_policy(["readwrite"], user="gateway")
        own = replace(keys, access_key="gateway", secret_key="gateway-secret")
        with running_gateway(tmp_path / "home", store=STORE, **variables_of(own)) as gateway:
            gateway.wait_ready()
            admin.user_remove("gateway")
            wait_until(lambda: gateway.metric("ocrline_store_up") == 0, log=gateway.log)

            assert gateway.get("/health/ready").json()["warning"] == "the store refuses the gateway"
            assert gateway.read(png("64")) == ("64", "v1")
        assert "check MINIO_ACCESS_KEY" in gateway.log.read_text()


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

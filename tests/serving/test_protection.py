"""The token, the queue limit, and what the process refuses to start with."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from configs.settings import SettingsError
from serving.settings import ServingSettings
from tests.serving.conftest import Shelf
from tests.serving.gateway import running_gateway, wait_until
from tests.serving.tiny_bundle import DIGITS, png

PNG = {"content-type": "image/png"}


def test_token_is_asked_for_everywhere_but_at_health(shelf: Shelf) -> None:
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")

    with running_gateway(
        shelf.folder / "home", store=shelf.store, OCRLINE_TOKEN="s3cret-é"
    ) as gateway:
        gateway.wait_ready()
        for path in ("/v1/models", "/metrics", "/docs", "/openapi.json", "/v1/recognize"):
            for given in (b"", b"Bearer", b"Bearer wrong", "Basic s3cret-é".encode()):
                reply = gateway.get(path, headers=[(b"authorization", given)])
                assert reply.status_code == 401
                assert reply.headers["www-authenticate"] == "Bearer"
                assert reply.json()["error"]["code"] == "unauthorized"

        allowed = {b"authorization": "bearer s3cret-é".encode(), b"content-type": b"image/png"}
        assert gateway.post(content=png("4"), headers=allowed).json()["model"] == "bars"
        assert "s3cret" not in gateway.log.read_text()


def test_strangers_learn_whether_it_is_ready_and_no_more(shelf: Shelf) -> None:
    shelf.add("v1", DIGITS)
    (damaged,) = Path(shelf.store).glob("models/bars/v1/**/onnx/model.onnx")
    damaged.write_bytes(damaged.read_bytes()[:-10])
    shelf.registry.promote("bars", "v1", reason="first")
    known = {"authorization": "Bearer hush"}

    with running_gateway(shelf.folder / "home", store=shelf.store, OCRLINE_TOKEN="hush") as gateway:
        wait_until(
            lambda: "damaged" in gateway.get("/health/ready", headers=known).text, log=gateway.log
        )
        stranger = gateway.get("/health/ready")
        wrong = gateway.get("/health/ready", headers={"authorization": "Bearer wrong"})

    assert (stranger.status_code, stranger.json()) == (503, {"status": "not ready"})
    assert (wrong.status_code, wrong.json()) == (503, {"status": "not ready"})


def test_requests_beyond_the_queue_get_503_and_others_are_answered(shelf: Shelf) -> None:
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")
    limits = {"OCRLINE_CONCURRENCY": "1", "OCRLINE_QUEUE": "1"}
    image = png("2026")
    arrived, finish = threading.Semaphore(0), threading.Event()
    replies: list[httpx.Response] = []

    def held() -> Iterator[bytes]:
        yield image[:10]
        arrived.release()
        finish.wait(30)
        yield image[10:]

    with running_gateway(shelf.folder / "home", store=shelf.store, **limits) as gateway:
        gateway.wait_ready()
        holders = [
            threading.Thread(
                target=lambda: replies.append(gateway.post(content=held(), headers=PNG))
            )
            for _ in range(2)
        ]
        for holder in holders:
            holder.start()
            arrived.acquire()
        while gateway.metric("ocrline_requests_in_flight") < 2:
            pass

        refused = gateway.post(content=image, headers=PNG)
        healthy = gateway.get("/health/live")
        finish.set()
        for holder in holders:
            holder.join()

    assert (refused.status_code, refused.json()["error"]["code"]) == (503, "busy")
    assert refused.headers["retry-after"] == "1"
    assert healthy.status_code == 200
    assert [reply.json()["results"][0]["text"] for reply in replies] == ["2026", "2026"]


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("OCRLINE_PORT", "99999"),
        ("OCRLINE_ENGINE", "tensorflow"),
        ("OCRLINE_CONCURRENCY", "0"),
        ("OCRLINE_MAX_BODY_MB", "lots"),
    ],
)
def test_wrong_setting_is_refused_by_its_variable(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(SettingsError, match=f"^{variable}='{value}': "):
        ServingSettings()


def test_settings_read_their_variables_and_show_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCRLINE_MODELS", "plates, meters")
    monkeypatch.setenv("OCRLINE_TOKEN", "hush")
    monkeypatch.setenv("MINIO_SECRET_KEY", "hush")
    monkeypatch.setenv("OCRLINE_PORT", "")

    settings = ServingSettings()

    assert settings.models == ("plates", "meters")
    assert (settings.token, settings.s3_secret_key) == ("hush", "hush")
    assert settings.port == ServingSettings.model_fields["port"].default
    assert "hush" not in repr(settings)


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"OCRLINE_PORT": "0"}, "OCRLINE_PORT='0': "),
        ({"OCRLINE_HOST": "0.0.0.0"}, "OCRLINE_HOST='0.0.0.0' lets anybody ask"),
        ({"OCRLINE_HOST": "::"}, "OCRLINE_HOST='::' lets anybody ask"),
    ],
)
def test_wrong_setting_ends_the_process_with_2_and_one_line(
    variables: dict[str, str], said: str, tmp_path: Path
) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "serving"],
        env={**os.environ, "OCRLINE_HOME": str(tmp_path), "OCRLINE_TOKEN": "", **variables},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ended.returncode == 2
    assert ended.stderr.startswith(f"error: {said}")
    assert len(ended.stderr.splitlines()) == 1

"""The token, and what the process refuses to start with."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from configs.settings import SettingsError
from serving.settings import ServingSettings
from tests.serving.conftest import Shelf
from tests.serving.gateway import running_gateway, wait_until
from tests.serving.tiny_bundle import DIGITS, png


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


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("OCRLINE_PORT", "99999"),
        ("OCRLINE_ENGINE", "tensorflow"),
        ("OCRLINE_CONCURRENCY", "0"),
        ("OCRLINE_MAX_BODY_MB", "lots"),
        ("OCRLINE_BODIES_MB", "15"),
        ("OCRLINE_HOSTS", "ocr.example, ocr.example:8443"),
        ("OCRLINE_HOSTS", "https://ocr.example"),
    ],
)
def test_wrong_setting_is_refused_by_its_variable(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)

    with pytest.raises(SettingsError, match=f"^{variable}='{value}': "):
        ServingSettings()


def test_a_default_that_another_setting_rules_out_is_named_as_a_variable_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OCRLINE_MAX_BODY_MB", "500")

    with pytest.raises(SettingsError, match=r"^OCRLINE_BODIES_MB=128: less than OCRLINE_MAX_BODY"):
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

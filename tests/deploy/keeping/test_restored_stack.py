"""A running stack is saved and another one restored: its runs are shown, its champion answers."""

import os
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cli.main import run
from configs.settings import Settings
from deploy.api import PrefectApi
from deploy.ports import pick_port
from deploy.services import ensure_gateway, ensure_prefect, stop_services
from ocr.models.registry import Registry
from ocr.store import open_store
from tasks.gateway_client import GatewayClient
from tests.toy_bundle import write_toy_bundle

SECRET = "a-webhook-nobody-may-see"


class Server:
    """Prefect's API of a home."""

    def __init__(self, settings: Settings) -> None:
        for name in [name for name in os.environ if name.startswith("PREFECT_")]:
            del os.environ[name]
        server = ensure_prefect(settings)
        assert server
        self._api = PrefectApi(server.ui_url, server.password_file.read_text())

    def ask(self, path: str, **body: Any) -> Any:
        return self._api.post(path, body)

    def get(self, path: str) -> Any:
        return self._api.get(path)

    def start_run(self, name: str, *states: str) -> None:
        flow = self.ask("/flows/", name="retrain-lines")["id"]
        made = self.ask("/flow_runs/", name=name, flow_id=flow)["id"]
        for state in states:
            self.ask(f"/flow_runs/{made}/set_state", state={"type": state}, force=True)

    def keep_secret(self) -> None:
        kind = self.get("/block_types/slug/secret")["id"]
        fields = {"block_schemas": {"block_type_id": {"any_": [kind]}}}
        schema = self.ask("/block_schemas/filter", **fields)[0]["id"]
        document = {"block_type_id": kind, "block_schema_id": schema}
        self.ask("/block_documents/", name="chat", data={"value": SECRET}, **document)

    def runs(self) -> dict[str, str]:
        return {run["name"]: run["state"]["name"] for run in self.ask("/flow_runs/filter")}

    def blocks(self) -> list[str]:
        found = self.ask("/block_documents/filter", include_secrets=True)
        return [str(each["data"]["value"]) for each in found]

    def close(self) -> None:
        self._api.close()


@pytest.mark.usefixtures("prefect_tables")
@pytest.mark.parametrize("with_secrets", [pytest.param(False, marks=pytest.mark.slow), True])
def test_a_restored_stack_shows_the_runs_and_serves_the_champion(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    with_secrets: bool,
) -> None:
    settings = Settings()
    registry = Registry(open_store(settings.store))
    registry.register("toy", "1", write_toy_bundle(tmp_path / "toy"))
    registry.promote("toy", "1", reason="better")
    server = Server(settings)
    server.start_run("yesterday", "RUNNING", "COMPLETED")
    server.start_run("today", "RUNNING")
    server.keep_secret()
    server.close()

    saved = run(["backup", "a.tar.zst", *(["--with-secrets"] if with_secrets else [])])
    stop_services(settings)
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "other"))
    monkeypatch.delenv("OCRLINE_STORE")
    restored = run(["restore", "a.tar.zst"])

    assert (saved, restored) == (0, 0)
    other = Settings()
    assert other.home == tmp_path / "other"
    request.addfinalizer(partial(stop_services, other))
    server, endpoint = Server(other), f"http://127.0.0.1:{pick_port(0)}"
    ensure_gateway(other, endpoint)
    assert server.runs() == {"yesterday": "Completed", "today": "Crashed"}
    assert server.blocks() == ([SECRET] if with_secrets else [])
    server.start_run("tomorrow", "RUNNING", "COMPLETED")
    server.close()
    with GatewayClient(endpoint) as gateway:
        gateway.wait_for("toy", "1", timeout_s=60)
        assert gateway.check_golden_lines(tmp_path / "toy", name="toy", version="1") == 2


@pytest.mark.usefixtures("prefect_tables")
def test_nothing_is_restored_under_a_running_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server = Server(Settings())
    server.close()
    assert run(["backup", "a.tar.zst"]) == 0

    assert run(["restore", "a.tar.zst"]) == 2

    assert "ocrline down first" in capsys.readouterr().err

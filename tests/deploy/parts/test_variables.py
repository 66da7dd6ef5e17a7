"""What runs with other variables than those of a command: left, said, and replaced by `up`."""

import os

import httpx
import pytest

from cli.stack.shown import warn_of_left
from configs.settings import Settings
from deploy.background import find_service
from deploy.memory import read_memory
from deploy.ports import pick_port
from deploy.services import ensure_gateway, ensure_gateways, ensure_prefect, services_folder

pytestmark = [pytest.mark.usefixtures("own_home"), pytest.mark.timeout(600)]


def settings_with(**environment: str) -> Settings:
    os.environ.update(environment)
    return Settings()


def ensure_prefect_anew() -> None:
    os.environ.pop("PREFECT_API_URL", None)
    ensure_prefect(Settings())


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().err.split())


def test_a_gateway_with_another_token_is_left_and_said_and_replaced_at_a_start_of_the_stack(
    capsys: pytest.CaptureFixture[str],
) -> None:
    endpoint = f"http://127.0.0.1:{pick_port(0)}"
    first = ensure_gateway(Settings(), endpoint)
    settings = settings_with(OCRLINE_TOKEN="hush", OCRLINE_CPU_RUNS="2")

    left = ensure_gateway(settings, endpoint)
    warn_of_left(settings, gateway=endpoint)
    warn_of_left(settings)
    open_to_all = httpx.get(f"{endpoint}/v1/models", trust_env=False).status_code
    ensure_gateways(settings, replaces=True)

    asked = httpx.get(f"{endpoint}/v1/models", trust_env=False).status_code
    assert left == first
    assert (open_to_all, asked) == (200, 401)
    assert first is not None
    assert one_line(capsys) == (
        f"warning: {first.name} was started with another OCRLINE_TOKEN and is left so; "
        "`ocrline up` starts it anew as it is set here"
    )


def test_a_token_that_is_a_key_of_the_home_is_no_difference(
    capsys: pytest.CaptureFixture[str],
) -> None:
    endpoint = f"http://127.0.0.1:{pick_port(0)}"
    ensure_gateway(Settings(), endpoint)
    (Settings().home / "keys.json").write_text("{}")

    warn_of_left(settings_with(OCRLINE_TOKEN="a-key"), gateway=endpoint)

    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("prefect_tables")
def test_a_command_with_other_variables_ends_nothing_that_runs(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    ensure_prefect_anew()
    folder = services_folder(Settings())
    before = [find_service(folder, name) for name in ("prefect", "worker")]
    settings = settings_with(
        OCRLINE_CROP_QUEUE="64", OCRLINE_DATABASE="postgresql+asyncpg://me@127.0.0.1:1/prefect"
    )
    monkeypatch.setattr("deploy.parts.server.EVENT_ORDER", "deploy.parts.of_another_release")

    ensure_prefect_anew()
    warn_of_left(settings)

    assert None not in before
    assert [find_service(folder, name) for name in ("prefect", "worker")] == before
    assert read_memory(folder).database == "sqlite"
    assert one_line(capsys).startswith(
        "warning: Prefect's server was started with another OCRLINE_DATABASE and is left so"
    )

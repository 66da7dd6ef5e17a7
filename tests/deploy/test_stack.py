"""A stack that goes down, also one that is interrupted there."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from filelock import Timeout

from configs.settings import Settings
from deploy import stack
from deploy.background import Service, ServiceFailed
from deploy.memory import StackMemory, write_memory
from deploy.parts import minio
from deploy.runs import drain
from deploy.services import password_file, remembered_endpoint, services_folder
from ocr.errors import BadInput, StoreRefused
from ocr.machine.owner import Owner


class Api:
    """Prefect's server: what its pool was told."""

    paused: list[bool]

    def __init__(self, *_: Any) -> None:
        pass

    def post(self, *_: Any) -> list[Any]:
        return []

    def patch(self, _: str, body: dict[str, Any]) -> None:
        self.paused.append(body["is_paused"])

    def close(self) -> None:
        pass


@pytest.fixture
def paused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """What the pool of services that are all up was told."""
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path))
    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    services_folder(Settings()).mkdir(parents=True, exist_ok=True)
    password_file(Settings()).write_text("hush")
    password_file(Settings()).chmod(0o600)
    service = Service("prefect", 1, 0.0, "http://127.0.0.1:1", "log")
    monkeypatch.setattr(stack, "find_service", lambda *_: service)
    monkeypatch.setattr(stack, "stop_services", lambda *_, **_named: [])
    monkeypatch.setattr(stack, "_wait_for_worker", lambda *_: None)
    for part in ("store", "server", "gateways", "remembered_gateway", "worker", "keeper"):
        monkeypatch.setattr(stack, f"ensure_{part}", lambda *_, **_named: service)
    monkeypatch.setattr(stack, "PrefectApi", Api)
    monkeypatch.setattr(Api, "paused", [], raising=False)
    return Api.paused


def test_after_a_down_that_was_interrupted_the_next_start_lets_runs_begin(
    paused: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any) -> None:
        drain(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr(stack, "drain", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stack.bring_down(Settings(), lambda _: None)
    before = list(paused)

    list(stack.bring_up(Settings()))
    list(stack.bring_up(Settings()))

    assert before == [True]
    assert paused == [True, False]


def test_starts_of_all_parts_take_turns(
    paused: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deploy.services.LOCK_S", 0.1)
    first = stack.bring_up(Settings())
    next(first)

    with pytest.raises(Timeout):
        next(stack.bring_up(Settings()))

    list(first)
    assert next(stack.bring_up(Settings())) == "store"


@pytest.mark.parametrize("running", [[], ["keeper"]])
def test_a_start_that_fails_leaves_a_keeper_only_where_one_was(
    paused: list[bool], monkeypatch: pytest.MonkeyPatch, running: list[str]
) -> None:
    def fail(_: Settings, **_named: object) -> None:
        raise ServiceFailed("its port is taken")

    kept: list[Settings] = []
    monkeypatch.setattr(stack, "stop_services", lambda *_, **_named: running)
    monkeypatch.setattr(stack, "ensure_remembered_gateway", fail)
    monkeypatch.setattr(stack, "ensure_keeper", kept.append)

    with pytest.raises(ServiceFailed, match="its port is taken"):
        list(stack.bring_up(Settings()))

    assert len(kept) == len(running)
    assert paused == []


def test_a_start_with_another_store_is_refused_before_anything_is_stopped(
    paused: list[bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = Owner(1, tmp_path, "s3://scans/line", "10.0.0.1:9000")
    stopped: list[Settings] = []
    monkeypatch.setattr(stack, "find_at_the_store", lambda _: ["gateway-8868"])
    monkeypatch.setattr(stack, "find_owner", lambda _: other)
    monkeypatch.setattr(stack, "stop_services", lambda *given, **_: stopped.append(given[0]))

    with pytest.raises(ServiceFailed) as refusal:
        list(stack.bring_up(Settings(), "http://127.0.0.1:1"))

    assert stopped == []
    assert remembered_endpoint(Settings()) == ""
    assert "MINIO_ENDPOINT=10.0.0.1:9000 OCRLINE_STORE=s3://scans/line" in str(refusal.value)


def test_a_start_beside_the_minio_of_this_home_is_told_how_that_is_found(
    paused: list[bool], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_memory(services_folder(Settings()), StackMemory(has_minio=True, minio_port=9000))
    ours = Owner(1, tmp_path, minio.STORE, "127.0.0.1:9000")
    monkeypatch.setattr(stack, "find_at_the_store", lambda _: ["worker"])
    monkeypatch.setattr(stack, "find_owner", lambda _: ours)

    with pytest.raises(ServiceFailed, match="ocrline up without OCRLINE_STORE and --store"):
        list(stack.bring_up(Settings()))


def test_a_start_without_the_keys_of_its_store_stops_nothing(
    paused: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stack, "find_at_the_store", lambda _: ["worker"])
    monkeypatch.setattr(stack, "stop_services", lambda *_, **_named: pytest.fail("stopped"))
    monkeypatch.setenv("OCRLINE_STORE", "s3://scans/line")
    monkeypatch.delenv("MINIO_ACCESS_KEY", raising=False)

    with pytest.raises(BadInput, match="MINIO_ACCESS_KEY"):
        list(stack.bring_up(Settings()))


@pytest.mark.parametrize(("running", "is_refused"), [(["gateway-8868"], True), ([], False)])
def test_a_start_with_keys_that_the_store_refuses_ends_nothing_that_serves_from_it(
    paused: list[bool],
    monkeypatch: pytest.MonkeyPatch,
    running: list[str],
    is_refused: bool,
) -> None:
    def refuse(_: Settings) -> None:
        raise StoreRefused("refuses access key 'other'")

    stopped: list[Settings] = []
    monkeypatch.setattr(stack, "find_at_the_store", lambda _: running)
    monkeypatch.setattr(stack, "find_owner", lambda _: None)
    monkeypatch.setattr(stack, "require_keys", refuse)
    monkeypatch.setattr(stack, "stop_services", lambda *given, **_: stopped.append(given[0]))

    with pytest.raises(StoreRefused) if is_refused else nullcontext():
        list(stack.bring_up(Settings()))

    assert bool(stopped) != is_refused


def test_a_pool_that_a_person_paused_stays_so_at_a_start(paused: list[bool]) -> None:
    list(stack.bring_up(Settings()))

    assert paused == []

"""What an earlier release left is read, served, gone on with, pruned and saved by this one."""

import json
import shutil
import time
from pathlib import Path

import pytest

from cli.main import run
from configs.settings import Settings
from deploy.ports import pick_port
from deploy.services import ensure_gateway
from ocr.models.registry import Registry
from ocr.retention.plan import plan_removal
from ocr.store import Store, open_store
from tasks.gateway_client import GatewayClient
from tests.deploy.conftest import own_home
from tests.upgrades.make_fixture import SMALL

__all__ = ["own_home"]

FIRST, SECOND = "252ef174e44a", "37b3c139c36d"
STATES = sorted(Path(__file__).parent.glob("state-*.tar.xz"))


@pytest.fixture(params=STATES, ids=[path.name.split(".")[0] for path in STATES])
def store(request: pytest.FixtureRequest, own_home: None) -> Store:
    """The store of a home as an earlier release left it."""
    settings = Settings()
    shutil.unpack_archive(request.param, settings.home.parent)
    return open_store(settings.store)


def champion(store: Store) -> str:
    state = Registry(store).champion("smoke")
    assert state
    return state.version


def test_its_models_are_listed_and_shown(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["models", "list", "--json"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert run(["models", "show", "smoke@champion", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)

    assert (listed["name"], listed["champion"]) == ("smoke", SECOND)
    assert listed["versions"] == [FIRST, SECOND]
    assert shown["model"]["version"] == SECOND
    assert [move["reason"] for move in shown["history"]] == ["There is no champion yet.", "by hand"]


def test_its_champion_is_rolled_back_and_promoted_again(store: Store) -> None:
    assert run(["models", "rollback", "smoke", "--reason", "reads 8 as B"]) == 0
    assert champion(store) == FIRST

    assert run(["models", "promote", "smoke", SECOND]) == 0

    assert champion(store) == SECOND
    assert len(Registry(store).history("smoke")) == 4


def test_its_champion_reads_the_golden_images_as_it_did(store: Store, tmp_path: Path) -> None:
    endpoint = f"http://127.0.0.1:{pick_port(0)}"
    ensure_gateway(Settings(), endpoint)
    bundle = Registry(store).download(Registry(store).resolve("smoke"), tmp_path / "bundle")

    with GatewayClient(endpoint) as gateway:
        gateway.wait_for("smoke", SECOND, timeout_s=120)
        images = gateway.check_golden_lines(bundle, name="smoke", version=SECOND)

    assert images == len(list((bundle / "golden" / "inputs").iterdir())) > 0


def test_all_that_it_stored_is_known_and_what_champions_need_stays(store: Store) -> None:
    verdicts = plan_removal(store, before=time.time() + 3600, versions_too=True)

    by_kind = {verdict.thing.kind: verdict for verdict in verdicts}
    assert "unknown" not in by_kind
    assert {kind for kind, verdict in by_kind.items() if verdict.may_go} <= {
        "evaluation",  # of the second version, which a person promoted without it
        "report",
        "mark of use",
    }
    assert all(verdict.thing.is_whole for verdict in verdicts)


def test_it_is_saved_and_restored(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {key: store.read_bytes(key) for key in store.list("")}
    assert run(["backup", str(tmp_path / "a.tar.zst")]) == 0
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "other"))
    monkeypatch.delenv("OCRLINE_STORE")

    assert run(["restore", str(tmp_path / "a.tar.zst")]) == 0

    restored = open_store(Settings().store)
    assert {key: restored.read_bytes(key) for key in restored.list("")} == before
    assert champion(restored) == SECOND


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_retraining_goes_on_beside_its_champion(store: Store) -> None:
    less = ("training.epochs=2", "training.seed=7")
    settings = (*(each for each in SMALL if each.split("=")[0] != "training.epochs"), *less)

    code = run(["retrain", "smoke", *(part for each in settings for part in ("--set", each))])

    registry = Registry(store)
    (new,) = set(registry.versions("smoke")) - {FIRST, SECOND}
    evaluations = [key for key in store.list("evaluations") if key.endswith("report.json")]
    opponents = [(json.loads(store.read_bytes(key))["opponent"] or {}) for key in evaluations]
    assert code == 1  # it learned for too short a time to replace its champion
    assert champion(store) == SECOND
    assert f"smoke:{SECOND}" in [each.get("name") for each in opponents]
    assert registry.version("smoke", new).manifest["name"] == "smoke"

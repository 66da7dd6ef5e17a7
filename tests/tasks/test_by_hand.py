"""A promotion and a rollback by hand against a gateway: proven, or all is as it was."""

import json
import shutil
from pathlib import Path

import pytest
from prefect import flow
from pydantic import ValidationError

from configs.deployment import DeploymentParams
from configs.operation.evaluate import EvaluateParams
from configs.operation.promote import PromoteParams
from configs.operation.rollback import RollbackParams
from configs.settings import Settings
from deploy.services import remember_endpoint
from ocr.errors import ArtifactNotFound, BadData, BadInput, ParityFailed
from ocr.machine.owner import name_user
from ocr.models.alias import MOST_REASON, Promotion
from tasks.deploy import promote_version, rollback_champion
from tasks.gateway_client import GatewayUnavailable
from tasks.measuring.labels import measure_labels
from tasks.notifying.notify import current_run
from tests.serving.conftest import Shelf, make_shelf
from tests.serving.gateway import running_gateway
from tests.serving.tiny_bundle import DIGITS, LETTERS, png
from tests.tasks.prefect_server import running_server
from tests.tasks.stub_gateway import Behaviour, stub_gateway

NOWHERE = DeploymentParams(target="none")


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Version v2 is the champion, v1 was it before."""
    shelf = make_shelf(tmp_path)
    for version, characters in (("v1", DIGITS), ("v2", LETTERS)):
        shelf.add(version, characters)
        shelf.registry.promote("bars", version, reason="better")
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "task"))
    monkeypatch.setenv("OCRLINE_STORE", shelf.store)
    return shelf


def at(endpoint: str, *, timeout_s: float = 60) -> DeploymentParams:
    return DeploymentParams(endpoint=endpoint, timeout_s=timeout_s)


def last_move(shelf: Shelf) -> Promotion:
    return shelf.registry.history("bars")[-1]


def test_a_version_by_the_start_of_its_name_and_back_again_both_proven(shelf: Shelf) -> None:
    shelf.add("f00d1234", DIGITS)
    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        promote_version.fn(
            PromoteParams(name="bars", version="f00d", reason="read", deployment=at(gateway.url))
        )
        promoted = gateway.model()["version"]
        rollback_champion.fn(
            RollbackParams(name="bars", reason="reads 8 as B", deployment=at(gateway.url))
        )
        back = gateway.model()["version"]

    assert (promoted, back) == ("f00d1234", "v2")
    assert (last_move(shelf).action, last_move(shelf).reason) == ("rollback", "reads 8 as B")
    assert last_move(shelf).by == name_user()


def test_without_an_address_it_is_proven_at_the_gateway_that_the_home_remembers(
    shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    with running_gateway(shelf.folder / "home", store=shelf.store) as gateway:
        remember_endpoint(Settings(), gateway.url)

        promote_version.fn(PromoteParams(name="bars", version="v1"))
        rollback_champion.fn(RollbackParams(name="bars"))
        served = gateway.model()["version"]

    assert served == "v2"
    assert capsys.readouterr().err.count(f"{gateway.url} reads") == 2


@pytest.mark.parametrize("behaviour", ["lies", "dies"])
def test_an_unproven_rollback_leaves_the_champion_and_what_is_before_it(
    shelf: Shelf, behaviour: Behaviour
) -> None:
    with (
        stub_gateway(shelf.registry, "v1", behaviour, on_promotion=lambda: None) as endpoint,
        pytest.raises((ParityFailed, ConnectionError)),
    ):
        rollback_champion.fn(RollbackParams(name="bars", deployment=at(endpoint, timeout_s=0.3)))

    champion = shelf.registry.champion("bars")
    assert champion is not None
    assert (champion.version, champion.previous) == ("v2", "v1")
    assert last_move(shelf).reason.startswith("deployment failed")
    assert not champion.was_rolled_back("v2")


def test_why_a_deployment_failed_is_cut_where_a_history_takes_no_more(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tasks.deploy.MOST_REASON", 25)

    test_an_unproven_promotion_is_taken_back(shelf, "lies")

    assert len(last_move(shelf).reason) == 25


@pytest.mark.parametrize("form", [PromoteParams, RollbackParams])
def test_a_form_takes_no_longer_reason_than_the_history(
    form: type[PromoteParams] | type[RollbackParams],
) -> None:
    given = {"name": "bars", "version": "v1"} if form is PromoteParams else {"name": "bars"}

    form.model_validate({**given, "reason": "x" * MOST_REASON})
    with pytest.raises(ValidationError, match="at most 10000 characters"):
        form.model_validate({**given, "reason": "x" * (MOST_REASON + 1)})


@pytest.mark.parametrize("behaviour", ["lies", "dies"])
def test_an_unproven_promotion_is_taken_back(shelf: Shelf, behaviour: Behaviour) -> None:
    shelf.add("v3", DIGITS)
    with (
        stub_gateway(shelf.registry, "v3", behaviour, on_promotion=lambda: None) as endpoint,
        pytest.raises((ParityFailed, ConnectionError)),
    ):
        promote_version.fn(
            PromoteParams(name="bars", version="v3", deployment=at(endpoint, timeout_s=0.3))
        )

    champion = shelf.registry.champion("bars")
    assert champion is not None
    assert (champion.version, champion.previous) == ("v2", "v1")


def test_nothing_moves_while_the_gateway_does_not_answer(shelf: Shelf) -> None:
    before = shelf.registry.history("bars")

    with pytest.raises(ConnectionError, match="gives no answer"):
        rollback_champion.fn(
            RollbackParams(name="bars", deployment=at("http://127.0.0.1:9", timeout_s=0.1))
        )

    assert shelf.registry.history("bars") == before


def test_nothing_moves_where_a_gateway_of_another_store_answers(
    shelf: Shelf, tmp_path: Path
) -> None:
    theirs = make_shelf(tmp_path / "theirs")
    before = shelf.registry.history("bars")
    with (
        running_gateway(tmp_path / "other home", store=theirs.store) as gateway,
        pytest.raises(GatewayUnavailable) as refusal,
    ):
        promote_version.fn(PromoteParams(name="bars", version="v1", deployment=at(gateway.url)))

    assert shelf.registry.history("bars") == before
    for said in (gateway.url, str(gateway.process.pid), str(tmp_path / "other home"), shelf.store):
        assert said in str(refusal.value)


def test_there_must_be_a_version_and_a_champion_before(shelf: Shelf) -> None:
    with pytest.raises(ArtifactNotFound, match="No version 'v9' of 'bars'"):
        promote_version.fn(PromoteParams(name="bars", version="v9", deployment=NOWHERE))
    rollback_champion.fn(RollbackParams(name="bars", deployment=NOWHERE))
    with pytest.raises(BadInput, match="'bars' has no earlier champion to go back to"):
        rollback_champion.fn(RollbackParams(name="bars", deployment=NOWHERE))
    with pytest.raises(ArtifactNotFound, match="'nope'"):
        rollback_champion.fn(RollbackParams(name="nope", deployment=NOWHERE))


def test_a_model_is_measured_on_a_label_file_by_its_name(
    shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for text in ("12", "34"):
        (tmp_path / f"{text}.png").write_bytes(png(text))
    labels = tmp_path / "labels.txt"
    labels.write_text("12.png\t12\n34.png\t33\ngone.png\t5\n")

    metrics = measure_labels.fn(EvaluateParams(model="bars:v1", labels=str(labels)))

    said = " ".join(capsys.readouterr().err.split())
    assert (metrics["accuracy"], metrics["left_out"]) == (0.5, 1)
    assert "left out: " in said
    assert "accuracy 0.5" in said
    assert json.dumps(metrics)


def test_of_many_rows_left_out_the_first_are_named_and_all_counted(
    shelf: Shelf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "12.png").write_bytes(png("12"))
    gone = [f"gone{n}.png\t12\n" for n in range(3000)]
    labels = tmp_path / "labels.txt"
    labels.write_text("".join(["12.png\t12\n", *gone, "12.png\t*\n", "12.png\t13\n"]))

    metrics = measure_labels.fn(EvaluateParams(model="bars:v1", labels=str(labels)))

    said = " ".join(capsys.readouterr().err.split())
    assert (metrics["n"], metrics["accuracy"], metrics["left_out"]) == (2, 0.5, 3001)
    assert said.count("left out: labels.txt:") == 20
    assert "left out: 3001 rows in all: 3000 missing_image, 1 illegible" in said


def test_a_label_file_of_gbk_is_measured_with_its_encoding_and_else_asked_for_it(
    shelf: Shelf, tmp_path: Path
) -> None:
    (tmp_path / "数.png").write_bytes(png("12"))
    labels = tmp_path / "labels.txt"
    labels.write_bytes("数.png\t12\n".encode("gbk"))
    params = EvaluateParams(model="bars:v1", labels=str(labels), encoding="gb18030")

    assert measure_labels.fn(params)["accuracy"] == 1
    with pytest.raises(
        BadData, match=r"is not utf-8; if .* GBK, evaluate it with the encoding gb18030"
    ):
        measure_labels.fn(params.model_copy(update={"encoding": "utf-8"}))


def test_a_move_names_the_run_that_made_it(shelf: Shelf, tmp_path: Path) -> None:
    @flow
    def by_hand() -> str:
        promote_version(PromoteParams(name="bars", version="v1", deployment=NOWHERE))
        return current_run()

    with running_server(tmp_path / "prefect"):
        run = by_hand()

    assert last_move(shelf).by == f"{name_user()}, run {run}"


def test_a_rollback_to_what_somebody_removed_is_refused(shelf: Shelf) -> None:
    shutil.rmtree(Path(shelf.store) / "models/bars/v1")

    with pytest.raises(ArtifactNotFound, match="No version 'v1' of 'bars'"):
        rollback_champion.fn(RollbackParams(name="bars", deployment=NOWHERE))

    assert last_move(shelf).version == "v2"

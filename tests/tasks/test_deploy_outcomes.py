"""What a deployment leaves behind, whatever it met: it takes back its own move and no other's."""

from collections.abc import Callable
from contextlib import nullcontext
from itertools import product
from pathlib import Path

import pytest

from ocr.errors import OcrError, ParityFailed
from tasks.deploy import deploy_model
from tasks.gateway_client import GatewayUnavailable, VersionRefused
from tests.serving.conftest import Shelf, make_shelf
from tests.serving.tiny_bundle import DIGITS, LETTERS
from tests.tasks.stub_gateway import Behaviour, stub_gateway
from tests.tasks.test_deploy import JUDGEMENT, evaluation_of, params

NOWHERE = "http://127.0.0.1:9"
FAILURES: dict[Behaviour, type[OcrError]] = {
    "refuses": VersionRefused,
    "lies": ParityFailed,
    "dies": GatewayUnavailable,
    "is slow": GatewayUnavailable,
}


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """The candidate is v2; v1 and v3 are others."""
    shelf = make_shelf(tmp_path)
    for version, characters in (("v1", DIGITS), ("v2", LETTERS), ("v3", DIGITS)):
        shelf.add(version, characters)
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "task"))
    monkeypatch.setenv("OCRLINE_STORE", shelf.store)
    return shelf


def deploy(
    shelf: Shelf,
    behaviour: Behaviour,
    *,
    champion: str | None,
    on_promotion: Callable[[], object] = lambda: None,
) -> None:
    error = FAILURES.get(behaviour)
    with (
        stub_gateway(shelf.registry, "v2", behaviour, on_promotion=on_promotion) as endpoint,
        pytest.raises(error) if error else nullcontext(),
    ):
        deploy_model.fn(
            evaluation_of("v2", champion=champion), JUDGEMENT, params(endpoint, timeout_s=0.3)
        )


def champion_of(shelf: Shelf) -> str | None:
    champion = shelf.registry.champion("bars")
    return champion.version if champion else None


def actions(shelf: Shelf) -> list[str]:
    return [move.action for move in shelf.registry.history("bars")]


@pytest.mark.parametrize("before", [None, "v1"], ids=["first", "over another"])
def test_a_proven_candidate_stays_champion(shelf: Shelf, before: str | None) -> None:
    if before:
        shelf.registry.promote("bars", before, reason="first")

    deploy(shelf, "proves", champion=before)

    assert champion_of(shelf) == "v2"


@pytest.mark.parametrize(
    ("before", "behaviour"),
    list(product([None, "v1"], FAILURES)),
    ids=lambda value: "first" if value is None else value,
)
def test_an_unproven_candidate_leaves_who_was_champion_before(
    shelf: Shelf, before: str | None, behaviour: Behaviour
) -> None:
    if before:
        shelf.registry.promote("bars", before, reason="first")

    deploy(shelf, behaviour, champion=before)

    assert champion_of(shelf) == before
    assert actions(shelf)[-2:] == ["promote", "undo"]


@pytest.mark.parametrize("behaviour", ["proves", *FAILURES])
def test_a_champion_that_was_there_before_the_run_stays(shelf: Shelf, behaviour: Behaviour) -> None:
    shelf.registry.promote("bars", "v1", reason="first")
    shelf.registry.promote("bars", "v2", reason="read by a person")

    deploy(shelf, behaviour, champion="v2")

    assert champion_of(shelf) == "v2"
    assert actions(shelf) == ["promote", "promote"]


@pytest.mark.parametrize("before", [None, "v1", "v2"])
def test_without_a_gateway_the_champion_does_not_move_at_all(
    shelf: Shelf, before: str | None
) -> None:
    if before:
        shelf.registry.promote("bars", before, reason="by hand")
    history = shelf.registry.history("bars")

    with pytest.raises(GatewayUnavailable, match="no answer"):
        deploy_model.fn(
            evaluation_of("v2", champion=before), JUDGEMENT, params(NOWHERE, timeout_s=0.3)
        )

    assert shelf.registry.history("bars") == history


@pytest.mark.parametrize("moves", [["v3"], ["v3", "v2"]], ids=["away", "away and back"])
def test_a_champion_that_somebody_moved_meanwhile_stays(
    shelf: Shelf, moves: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    def move_once() -> None:
        while moves:
            shelf.registry.promote("bars", moves.pop(0), reason="by hand")

    expected = moves[-1]
    shelf.registry.promote("bars", "v1", reason="first")

    deploy(shelf, "refuses", champion="v1", on_promotion=move_once)

    assert champion_of(shelf) == expected
    assert "undo" not in actions(shelf)
    assert "somebody moved" in capsys.readouterr().err


def test_a_first_champion_that_was_cleared_can_be_promoted_again(shelf: Shelf) -> None:
    deploy(shelf, "lies", champion=None)

    deploy(shelf, "proves", champion=None)

    assert champion_of(shelf) == "v2"
    assert actions(shelf) == ["promote", "undo", "promote"]

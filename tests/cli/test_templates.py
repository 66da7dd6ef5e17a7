"""What `ocrline templates` prints for people and for machines."""

import json
from pathlib import Path

import pytest

from cli.main import run
from configs.training import TEMPLATE_NAMES


@pytest.mark.parametrize("command", [[], ["list"]])
def test_templates_are_listed_from_the_smallest(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["templates", *command]) == 0

    printed = capsys.readouterr().out
    places = [printed.index(name) for name in TEMPLATE_NAMES]
    assert places == sorted(places)


def test_the_list_for_machines_holds_all_that_templates_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["templates", "list", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert [each["name"] for each in found] == list(TEMPLATE_NAMES)
    assert found[1]["resources"]["shared_memory_gib"] == 8


def test_a_template_is_shown_as_yaml_names_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["templates", "show", "medium"]) == 0

    assert "resources.shared_memory_gib" in capsys.readouterr().out


def test_a_wrong_template_is_refused_with_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["templates", "show", "smal"]) == 2

    assert "did you mean small?" in capsys.readouterr().err


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))


@pytest.mark.usefixtures("home")
def test_the_smallest_template_that_is_enough_is_named_with_its_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["templates", "recommend", "meters", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["template"] == "small"
    assert found["why"].startswith("small is the smallest that is enough: ")
    assert found["images"] == {"training": 3200}
    assert [each["name"] for each in found["templates"]] == list(TEMPLATE_NAMES)
    assert "2 of 1 devices" in found["templates"][1]["why"]
    assert "never measured on a GPU" in found["templates"][2]["needs"]["basis"]


@pytest.mark.usefixtures("home")
def test_a_set_of_unknown_size_is_said_and_its_time_is_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["templates", "recommend", "receipts"]) == 0

    said = " ".join(capsys.readouterr().out.split())
    assert "detector: unknown how many images, so no time: say --images" in said
    assert "recogniser: unknown how many lines, so no time: say --lines" in said


@pytest.mark.usefixtures("home")
def test_pages_and_their_lines_are_counted_apart(capsys: pytest.CaptureFixture[str]) -> None:
    counts = ["--images", "239", "--lines", "13058"]

    assert run(["templates", "recommend", "receipts-accurate", *counts, "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["images"] == {"detector": 239, "recogniser": 13058}
    assert run(["templates", "recommend", "plates", "--lines", "9"]) == 2
    assert "--lines: plates has no pages, its lines are --images 9" in capsys.readouterr().err


@pytest.mark.usefixtures("home")
def test_days_of_processors_ask_for_a_gpu(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["templates", "recommend", "plates", "--images", "10000000", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert found["template"] != "small"
    assert "of 24 hours" in found["templates"][0]["why"]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "wrong",
    [
        ["plats"],
        ["plates", "--set", "training.epoch=3"],
        ["plates", "--images", "-1"],
        ["plates", "--images", "9" * 99],
    ],
)
def test_wrong_input_of_a_recommendation_is_refused(wrong: list[str]) -> None:
    assert run(["templates", "recommend", *wrong]) == 2

"""What `ocrline templates` prints for people and for machines."""

import json

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

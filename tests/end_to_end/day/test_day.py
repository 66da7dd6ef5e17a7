"""A day of a team that operates ocrline, as ``make day`` shows it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.end_to_end.conftest import new_machine
from tests.end_to_end.day.prefect_ui import PrefectUi
from tests.end_to_end.day.readings import spoil_training_labels, write_readings
from tests.end_to_end.day.team import NAME, Team, wait_for
from tests.end_to_end.day.timeline import Timeline
from tests.serving.browser import running_chromium
from tests.tasks.notifying.sinks import Sink, http_sink

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3000)]

PROJECT = """
extends: _fixed
name: {name}
dataset: {{name: {name}, root: {root}, val_labels: rec_val.txt, test_labels: rec_test.txt}}
training: {{size: small, epochs: 24, evaluations: 2, composition: {{enabled: false}}}}
evaluation: {{baseline: none}}
gate: {{min_accuracy: 0.02}}
approval: {{needed: true, timeout_h: 2}}
deployment: {{endpoint: "{endpoint}"}}
operation: {{cron: "0 3 * * mon", timezone: Asia/Shanghai}}
"""


@pytest.fixture
def browser() -> Iterator[Browser]:
    with running_chromium() as browser:
        yield browser


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    """A machine that is not up yet, crops, and a project that reads them."""
    with new_machine(tmp_path / "home", timeout_s=900) as machine:
        write_readings(tmp_path / "readings")
        (tmp_path / f"{NAME}.yaml").write_text(
            PROJECT.format(name=NAME, root=tmp_path / "readings", endpoint=machine.endpoint),
            encoding="utf-8",
        )
        yield Team(machine)


def test_a_day(team: Team, browser: Browser, tmp_path: Path) -> None:
    timeline = Timeline(Path(os.environ.get("DAY_PICTURES", tmp_path / "pictures")))
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    with http_sink() as sink:
        _listen(team, sink)
        ui = _begin(team, page, tmp_path, timeline)
        first = _first_model(team, ui, page, timeline)
        second = _better_model(team, ui, page, timeline)
        _worse_data(team, ui, page, tmp_path, timeline)
        assert team.champion() == second
        timeline.tell(f"alert received: {wait_for_notice(sink, 'Refused')}")
        _rollback(team, ui, page, timeline)
        wait_for(lambda: team.champion() == first, "the first version, back online")
        timeline.tell(f"{NAME}:{first} answers again")
        timeline.tell(f"told of it: {wait_for_notice(sink, 'Rolled back')}")
    said = team.command("models", "show", NAME)
    assert "approved by Li Wei: reads my meter" in " ".join(said.split())
    team.command("down")
    timeline.tell("down")


def wait_for_notice(sink: Sink, what: str) -> str:
    """Return the first notice of a kind, its title and its text."""

    def look() -> str | None:
        found = [each for each in sink.arrived if what in each["title"]]
        return "\n".join([found[0]["title"], *found[0]["message"].splitlines()]) if found else None

    return wait_for(look, f"the notice: {what}").replace("\n", "\n          ")


def _listen(team: Team, sink: Sink) -> None:
    config = team.machine.home / "notifications.yaml"
    config.touch(mode=0o600)
    config.write_text(f"targets:\n  - url: json://{sink.address}/\n", encoding="utf-8")


def _begin(team: Team, page: Page, folder: Path, timeline: Timeline) -> PrefectUi:
    team.command("up", "--endpoint", team.machine.endpoint)
    timeline.tell("up")
    said = team.command("deployments", "apply", str(folder / f"{NAME}.yaml"), "--yes")
    assert f"+ retrain-lines/{NAME}  created" in said
    assert "nothing to change" in team.command("deployments", "apply")
    ui = PrefectUi(page, team.url, login=team.login)
    timeline.tell("applied, logged in", page)
    return ui


def _first_model(team: Team, ui: PrefectUi, page: Page, timeline: Timeline) -> str:
    """Smoke by its form, then a short training by its form, approved in the UI."""
    smoke, full = (
        team.find_deployment(f"retrain-lines/{each}") for each in (f"{NAME}-smoke", NAME)
    )
    ui.open_form(smoke)
    timeline.tell("form of the smoke opened", page)
    ui.submit()
    ui.look_away()
    ui.open_run(team.wait_for_run(smoke, ("COMPLETED",)))
    timeline.tell("smoke passed", page)

    ui.open_form(full)
    ui.fill(epochs=10)
    timeline.tell("form of the training filled", page)
    ui.submit()
    ui.open_run(team.wait_for_run(full, ("RUNNING",)))
    timeline.tell("training watched", page)
    ui.look_away()
    run = team.wait_for_run(full, ("PAUSED",))
    assert not team.champion()
    ui.open_run(run)
    ui.open_question()
    ui.answer(decision="approve", name="Li Wei", reason="reads my meter")
    timeline.tell("approval: form filled", page)
    ui.send_answer()
    ui.open_run(team.wait_for_run(full, ("COMPLETED",)))
    timeline.tell("approved and deployed", page)
    version = wait_for(team.champion, "a champion that answers")
    answer = team.read(next((team.machine.home.parent / "readings/images").iterdir()))
    assert answer["version"] == version
    timeline.tell(f"online: {NAME}:{version} reads {answer['results'][0]['text']!r}")
    return version


def _better_model(team: Team, ui: PrefectUi, page: Page, timeline: Timeline) -> str:
    """The project as its file has it, started by an event, approved from the terminal."""
    ui.look_away()
    full, before = team.find_deployment(f"retrain-lines/{NAME}"), team.champion()
    team.command("deployments", "drift", NAME, "--reason", "new meters at the river")
    run = team.wait_for_run(full, ("PAUSED",), number=2)
    ui.open_run(run)
    timeline.tell("drift started a training, which asks", page)
    team.command("approve", NAME, "--by", "Chen Yu", "--reason", "twice as good")
    team.wait_for_run(full, ("COMPLETED",), number=2)
    version = wait_for(
        lambda: team.champion() if team.champion() != before else None, "the better version"
    )
    timeline.tell(f"online: {NAME}:{version}")
    return version


def _worse_data(team: Team, ui: PrefectUi, page: Page, folder: Path, timeline: Timeline) -> None:
    ui.look_away()
    spoil_training_labels(folder / "readings")
    timeline.tell("the labels were shifted by somebody")
    full = team.find_deployment(f"retrain-lines/{NAME}")
    team.command("deployments", "drift", NAME, "--reason", "labels corrected")
    run = team.wait_for_run(full, ("COMPLETED",), number=3)
    ui.open_run(run)
    timeline.tell("worse data refused", page)


def _rollback(team: Team, ui: PrefectUi, page: Page, timeline: Timeline) -> None:
    rollback = team.find_deployment("rollback/ocrline")
    ui.open_form(rollback)
    ui.fill(name=NAME, reason="customers call", endpoint=team.machine.endpoint)
    timeline.tell("form of the rollback filled", page)
    ui.submit()
    ui.open_run(team.wait_for_run(rollback, ("COMPLETED",)))
    timeline.tell("rolled back", page)

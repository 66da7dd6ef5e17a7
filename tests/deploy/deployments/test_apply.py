"""Deployments applied to a real Prefect server: once, again, changed, paused, and all at once."""

import copy
import io
import json
from pathlib import Path
from subprocess import PIPE, Popen
from sys import executable

import pytest
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import DeploymentUpdate
from prefect.events.actions import RunDeployment
from prefect.events.schemas.automations import AutomationCore, EventTrigger
from prefect.events.schemas.events import ResourceSpecification
from prefect.exceptions import PrefectHTTPStatusError

from cli.main import run
from configs.settings import Settings
from deploy.background import clean_environment
from deploy.deployments.apply import apply_remembered
from deploy.deployments.automations import find_automations
from deploy.deployments.difference import differing
from deploy.deployments.server import read_stored
from deploy.deployments.singles import SINGLES
from tests.deploy.deployments.conftest import FULL, SMOKE, apply, stored, write_project

pytestmark = pytest.mark.usefixtures("own_home")
Out = pytest.CaptureFixture[str]


def test_a_project_is_applied_once_and_a_second_time_there_is_nothing_to_change(
    client: SyncPrefectClient, project: Path, capsys: Out
) -> None:
    before = run(["deployments", "diff", str(project)])
    first = apply(project)
    said = capsys.readouterr().out
    again = run(["deployments", "apply"])  # asks nothing, as there is nothing to ask
    then = capsys.readouterr().out
    after = run(["deployments", "diff"])

    assert (before, first, again, after) == (1, 0, 0, 0)
    assert f"+ {FULL}  created" in said
    assert said.endswith(f"applied {len(SINGLES) + 2} created\n")
    assert then == "nothing to change\n"
    deployment = stored(client, FULL).deployment
    (schedule,) = deployment.schedules
    assert deployment.entrypoint == "flows.retrain_lines.retrain_lines"
    assert (deployment.work_pool_name, deployment.work_queue_name) == ("ocrline", "cpu")
    assert deployment.global_concurrency_limit is not None
    assert deployment.global_concurrency_limit.limit == 1
    assert schedule.schedule.model_dump()["cron"] == "0 3 * * mon"
    assert schedule.schedule.model_dump()["timezone"] == "Europe/Berlin"
    assert deployment.parameters["params"]["smoke"] == {"must_pass": True}


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (("name",), "'name' is a required property"),
        (("training",), "'training' is a required property"),
        (("training", "epochs"), "'epochs' is a required property"),
    ],
)
def test_what_a_project_says_cannot_be_left_empty_in_its_form(
    client: SyncPrefectClient, project: Path, path: tuple[str, ...], why: str
) -> None:
    apply(project)
    deployment = stored(client, FULL).deployment
    given = copy.deepcopy(deployment.parameters)
    part = given["params"]
    for key in path[:-1]:
        part = part[key]
    del part[path[-1]]

    with pytest.raises(PrefectHTTPStatusError, match=why):
        client.create_flow_run_from_deployment(deployment.id, parameters=given)
    run = client.create_flow_run_from_deployment(deployment.id, parameters=deployment.parameters)

    assert run.parameters == deployment.parameters


def test_a_changed_project_is_shown_field_by_field_before_it_is_asked(
    client: SyncPrefectClient, project: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply(project)
    write_project(project, "training: {epochs: 12}", cron="30 4 * * fri")
    capsys.readouterr()

    refused = run(["deployments", "apply"])  # nobody answers
    said = capsys.readouterr().out
    kept = stored(client, FULL).describe().facts["params.training.epochs"]
    code = apply()

    assert refused != 0
    assert "schedule: 0 3 * * mon, Europe/Berlin → 30 4 * * fri, Europe/Berlin" in said
    assert "params.training.epochs: 200 → 12" in said
    assert kept == "200"
    assert code == 0
    facts = stored(client, FULL).describe().facts
    assert facts["params.training.epochs"] == "12"
    assert facts["schedule"] == "30 4 * * fri, Europe/Berlin"


def test_a_prompt_keeps_nobody_waiting_and_what_it_did_not_show_is_not_done(
    client: SyncPrefectClient, project: Path, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[int] = []

    def answer(*_: object, **__: object) -> bool:
        write_project(project, cron="30 4 * * fri")
        codes.append(apply(project))
        return True

    monkeypatch.setattr("typer.confirm", answer)

    codes.append(run(["deployments", "apply", str(project)]))

    assert codes == [0, 2]
    assert "something else to do than was shown: apply again" in capsys.readouterr().err
    assert stored(client, FULL).describe().facts["schedule"] == "30 4 * * fri, Europe/Berlin"


@pytest.mark.parametrize("answer", ["n\n", ""], ids=["no", "nobody is there"])
def test_who_does_not_agree_is_told_that_nothing_was_changed(
    client: SyncPrefectClient,
    project: Path,
    capsys: Out,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
) -> None:
    before = set(read_stored(client))
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))

    code = run(["deployments", "apply", str(project)])

    said = capsys.readouterr()
    assert (code, said.err) == (1, "")
    assert said.out.endswith("nothing was changed\n")
    assert set(read_stored(client)) == before


def test_what_a_person_paused_stays_paused_and_is_said(
    client: SyncPrefectClient, project: Path, capsys: Out
) -> None:
    apply(project)
    found = stored(client, FULL)
    (schedule,) = found.deployment.schedules
    client.update_deployment_schedule(found.deployment.id, schedule.id, active=False)
    client.pause_automation(found.automations[0].id)
    write_project(project, "training: {epochs: 12}", cron="30 4 * * fri")
    capsys.readouterr()

    apply()

    said = capsys.readouterr().out
    after = stored(client, FULL)
    assert "its schedule was paused by a person, and stays paused" in said
    assert "switched off by a person, and stays off" in said
    assert [each.active for each in after.deployment.schedules] == [False]
    assert [each.enabled for each in after.automations] == [False]
    assert after.describe().facts["schedule"] == "30 4 * * fri, Europe/Berlin"


def test_of_a_deployment_that_a_person_paused_it_is_said_what_starts_it_still(
    client: SyncPrefectClient, project: Path, capsys: Out
) -> None:
    apply(project)
    for name in (FULL, SMOKE):
        client.update_deployment(stored(client, name).deployment.id, DeploymentUpdate(paused=True))
    capsys.readouterr()

    code = run(["deployments", "diff"])

    on = "rests, and events start it until its automation 'start retrain-lines/digits' is switched"
    notes = {name: stored(client, name).describe().notes for name in (FULL, SMOKE)}
    assert code == 0
    assert on in capsys.readouterr().out
    assert on in notes[FULL][0]
    assert notes[SMOKE] == ("paused by a person, and stays paused",)


def test_a_schedule_and_triggers_that_are_no_longer_said_go(
    client: SyncPrefectClient, project: Path
) -> None:
    apply(write_project(project, "  new_samples: 50"))
    with_trigger = stored(client, FULL).describe().facts["started by"]

    apply(write_project(project, cron=""))

    facts = stored(client, FULL).describe().facts
    assert with_trigger == "ocrline.drift, ocrline.new-data"
    assert facts["started by"] == "ocrline.drift"
    assert facts["schedule"] == "none"


def test_what_is_changed_in_what_starts_and_runs_a_deployment_is_shown_and_undone(
    client: SyncPrefectClient, project: Path, capsys: Out
) -> None:
    apply(project)
    found = stored(client, FULL)
    (automation,) = found.automations
    assert isinstance(automation.trigger, EventTrigger)
    other = {"prefect.resource.id": "ocrline.model.other"}
    trigger = automation.trigger.model_copy(
        update={"match": ResourceSpecification(other), "threshold": 99}
    )
    smoke = RunDeployment(source="selected", deployment_id=stored(client, SMOKE).deployment.id)
    core = AutomationCore(name=automation.name, trigger=trigger, actions=[smoke])
    client.update_automation(automation.id, core)
    elsewhere = DeploymentUpdate(
        job_variables={**found.deployment.job_variables, "command": "/bin/true"},
        enforce_parameter_schema=False,
        path="/elsewhere",
        pull_steps=[{"prefect.deployments.steps.set_working_directory": {"directory": "/"}}],
        tags=found.deployment.tags,
        parameter_openapi_schema=found.deployment.parameter_openapi_schema,
    )
    client.update_deployment(found.deployment.id, elsewhere)
    capsys.readouterr()

    apply()

    said = capsys.readouterr().out
    assert 'trigger.match.prefect.resource.id: "ocrline.model.other" → "ocrline.model.dig' in said
    assert "started by.trigger.threshold: 99 → 1" in said
    assert "started by.actions: " in said
    assert 'job variables.command: "/bin/true" → –' in said
    assert "form is enforced: no → yes" in said
    assert "path: /elsewhere → none" in said
    assert "pull steps: " in said
    assert stored(client, FULL).describe().facts == found.describe().facts


def test_what_was_applied_is_applied_again_when_the_stack_starts(
    client: SyncPrefectClient, project: Path
) -> None:
    apply(project)
    client.delete_deployment(stored(client, FULL).deployment.id)

    done = apply_remembered(Settings())

    assert [(each.name, each.what) for each in differing(done.changes)] == [(FULL, "created")]
    assert stored(client, FULL).deployment.name == "digits"


@pytest.mark.slow
def test_applies_of_several_machines_at_once_leave_one_of_each(
    client: SyncPrefectClient, project: Path, tmp_path: Path
) -> None:
    homes = [{"OCRLINE_HOME": str(tmp_path / name)} for name in ("a", "b", "c")]
    command = [executable, "-m", "cli.main", "deployments", "apply", str(project), "--yes"]
    environment = clean_environment()

    running = [Popen(command, env={**environment, **home}, stderr=PIPE) for home in homes]
    said = [process.communicate(timeout=240)[1] for process in running]

    assert [process.returncode for process in running] == [0, 0, 0], said
    names = sorted(read_stored(client))
    automations = find_automations(client)[f"start {FULL}"]
    assert names == sorted({*names, FULL, SMOKE})
    assert len(automations) == 1
    assert len(stored(client, FULL).deployment.schedules) == 1


def test_list_says_what_starts_what_for_machines(
    client: SyncPrefectClient, project: Path, capsys: Out
) -> None:
    apply(project)
    capsys.readouterr()

    code = run(["deployments", "list", "--json"])

    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert code == 0
    assert rows[FULL]["schedule"] == "0 3 * * mon, Europe/Berlin"
    assert rows[SMOKE]["schedule"] == "none"
    assert set(rows) > {"promote/ocrline", "rollback/ocrline", "evaluate/ocrline"}

"""What becomes of deployments that nothing declares any more, on a real Prefect server."""

from pathlib import Path

import pytest
from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.actions import DeploymentUpdate

from configs.settings import Settings
from deploy.deployments.apply import apply_remembered
from deploy.deployments.difference import differing
from deploy.deployments.memory import read_refused
from deploy.worker import offer
from tests.deploy.deployments.conftest import FULL, SMOKE, apply, stored, write_project

pytestmark = pytest.mark.usefixtures("own_home")
Out = pytest.CaptureFixture[str]


def test_a_project_that_is_gone_is_paused_keeps_its_runs_and_comes_back_as_it_was(
    client: SyncPrefectClient, project: Path, capsys: Out
) -> None:
    apply(project)
    made = client.create_flow_run_from_deployment(stored(client, SMOKE).deployment.id)
    content = project.read_text()
    project.unlink()
    capsys.readouterr()

    apply()
    said = capsys.readouterr().out
    gone = stored(client, FULL)
    again = apply()
    silent = capsys.readouterr().out
    project.write_text(content)
    apply(project)

    back = stored(client, FULL)
    assert f"- {FULL}  no longer declared" in said
    assert gone.deployment.paused
    assert not gone.automations[0].enabled
    assert f"no file {project} any more" in said
    assert again == 0
    assert f"  {FULL}  unchanged\n      retired, as nothing that was applied declared it" in silent
    assert silent.endswith("nothing to change\n")
    assert client.read_flow_run(made.id).id == made.id
    assert not back.deployment.paused
    assert back.automations[0].enabled
    assert back.deployment.id == gone.deployment.id


def test_what_a_person_switched_off_is_off_when_a_project_comes_back(
    client: SyncPrefectClient, project: Path, capsys: Out
) -> None:
    apply(project)
    found = stored(client, FULL)
    client.update_deployment(found.deployment.id, DeploymentUpdate(paused=True))
    client.pause_automation(found.automations[0].id)
    content = project.read_text()
    project.unlink()
    apply()
    project.write_text(content)
    capsys.readouterr()

    apply(project)

    said = capsys.readouterr().out
    back, smoke = stored(client, FULL), stored(client, SMOKE)
    assert "paused by a person, and stays paused" in said
    assert "switched off by a person, and stays off" in said
    assert back.deployment.paused
    assert not back.automations[0].enabled
    assert not smoke.deployment.paused
    assert sorted(back.deployment.tags) == ["digits", "ocrline"]


def test_a_start_of_the_stack_retires_nothing_of_a_file_that_is_out_of_reach(
    client: SyncPrefectClient, tmp_path: Path, capsys: Out
) -> None:
    share, away = tmp_path / "share", tmp_path / "away"
    share.mkdir()
    file = write_project(share / "digits.yaml", "  new_samples: 50")
    apply(file)
    share.rename(away)

    capsys.readouterr()
    offer(Settings())
    said = capsys.readouterr().err
    kept = stored(client, FULL)
    away.rename(share)
    write_project(file)
    second = apply_remembered(Settings())

    assert said == f"no file {file}: its deployments stay as they are\n"
    assert not kept.is_retired
    assert second.gone == []
    assert [(each.name, each.what) for each in differing(second.changes)] == [
        (FULL, "changed"),
        ("watch-lines/digits", "no longer declared"),
    ]


def test_a_project_that_is_refused_keeps_its_deployments_and_no_other_from_being_applied(
    client: SyncPrefectClient, project: Path, tmp_path: Path, capsys: Out
) -> None:
    bad = write_project(tmp_path / "bad.yaml", name="bad")
    apply(bad, project)
    before = stored(client, "retrain-lines/bad").describe()
    write_project(bad, "  new_samples: no", name="bad")
    write_project(project, cron="0 4 * * tue")
    capsys.readouterr()

    offer(Settings())
    offer(Settings())

    said = capsys.readouterr().err.splitlines()
    (schedule,) = stored(client, FULL).deployment.schedules
    assert said[0] == said[1]
    assert said[0].startswith(f"refused, its deployments stay as they are: {bad}: operation.new_")
    assert schedule.schedule.model_dump()["cron"] == "0 4 * * tue"
    assert stored(client, "retrain-lines/bad").describe() == before
    assert [f"refused, its deployments stay as they are: {why}" for why in refused()] == said[:1]
    assert apply() == 2  # where a person is there to mend it
    write_project(bad, name="bad")
    assert apply() == 0
    assert refused() == []


def refused() -> list[str]:
    return read_refused(Settings().home)


def test_of_two_projects_of_one_name_the_earlier_one_has_it_at_each_start(
    client: SyncPrefectClient, project: Path, tmp_path: Path
) -> None:
    other = write_project(tmp_path / "other.yaml", name="other")
    apply(project, other)
    write_project(other, cron="0 5 * * *")

    first, second = apply_remembered(Settings()), apply_remembered(Settings())

    assert [len(plan.refused) for plan in (first, second)] == [1, 1]
    assert first.refused == second.refused
    assert list(second.names)[-2:] == [str(project), str(other)]


def test_what_another_machine_applied_is_left_alone(
    client: SyncPrefectClient, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply(project)
    other = write_project(tmp_path / "other.yaml", name="other")
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "other-home"))
    apply(other)
    after_other = stored(client, FULL)
    other.unlink()

    apply()

    assert not after_other.is_retired
    assert not after_other.deployment.paused
    assert stored(client, "retrain-lines/other").is_retired
    assert not stored(client, FULL).is_retired

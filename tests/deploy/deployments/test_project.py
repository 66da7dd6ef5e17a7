"""Which deployments follow from a project, and from every machine."""

import pytest

from configs.layers import names_in
from configs.presets import PRESETS, ConfigError, load_project
from deploy.deployments.declaration import Declaration, Schedule
from deploy.deployments.project import declare_project
from deploy.deployments.singles import SINGLES


@pytest.mark.parametrize("preset", names_in(PRESETS))
def test_every_preset_has_a_retraining_and_its_smoke_one_at_once_each(preset: str) -> None:
    is_rendered = load_project(preset).params.dataset.source == "synthetic"
    project = load_project(preset, overrides=[] if is_rendered else ["dataset.root=/data"])
    name = project.params.name

    full, smoke = declare_project(project)

    assert {full.name, smoke.name} == {name, f"{name}-smoke"}
    assert full.flow_name == smoke.flow_name == full.load_flow().name
    assert (full.at_once, smoke.at_once) == (1, 1)
    assert full.tags == ("ocrline", name)
    assert full.queue == project.params.resources.device
    assert smoke.parameters == {**full.parameters, "until": "smoke"}
    assert (full.schedule, full.events) == (None, ("ocrline.drift",))


def test_a_project_says_when_it_runs_what_starts_it_and_whether_a_smoke_must_pass() -> None:
    said = ["operation.cron=0 3 * * mon", "operation.timezone=Asia/Shanghai"]
    said += ["operation.new_samples=200", "operation.when_busy=CANCEL_NEW"]
    said += ["dataset.root=/data", "operation.look_every_min=60"]
    project = load_project("plates", overrides=said)
    without = load_project("smoke", overrides=["operation.require_smoke=false"])

    full, _, watch = declare_project(project)
    free, *_ = declare_project(without)

    assert full.schedule == Schedule("0 3 * * mon", "Asia/Shanghai")
    assert full.events == ("ocrline.drift", "ocrline.new-data")
    assert full.when_busy == "CANCEL_NEW"
    assert full.parameters["params"]["smoke"] == {"must_pass": True}
    assert free.parameters["params"]["smoke"] == {"must_pass": False}
    assert watch.full_name == "watch-lines/plates"
    assert watch.schedule == Schedule("0 * * * *")
    assert watch.queue == "short"
    assert watch.parameters["params"]["new_samples"] == 200
    assert watch.parameters["params"]["dataset"] == project.params.dataset.model_dump(mode="json")


def test_what_is_rendered_is_never_new() -> None:
    project = load_project("smoke", overrides=["operation.new_samples=1"])

    with pytest.raises(ConfigError, match=r"operation\.new_samples: 1 needs labelled data"):
        list(declare_project(project))


def test_needs_a_gpu_says_the_queue() -> None:
    project = load_project("smoke", overrides=["resources.device=gpu"])

    assert {each.queue for each in declare_project(project)} == {"gpu"}


@pytest.mark.parametrize(
    ("given", "key"),
    [
        (["dataset.root=data", "dataset.source=paddleocr"], "dataset.root: 'data'"),
        (
            ["evaluation.further=[{name: old, root: old, labels: a.txt}]"],
            "evaluation.further[old].root: 'old'",
        ),
    ],
)
def test_a_folder_that_a_worker_would_look_for_elsewhere_is_refused(
    given: list[str], key: str
) -> None:
    project = load_project("smoke", overrides=given)

    with pytest.raises(ConfigError) as refused:
        list(declare_project(project))

    assert str(refused.value).startswith(f"smoke: {key} is another folder in another process")


def test_a_file_that_a_worker_would_look_for_elsewhere_is_refused() -> None:
    given = ["evaluation.baseline=readings", "evaluation.baseline_readings=old.txt"]
    project = load_project("smoke", overrides=given)

    with pytest.raises(ConfigError, match=r"baseline_readings: 'old.txt' is another file in anot"):
        list(declare_project(project))


@pytest.mark.parametrize("single", SINGLES, ids=[single.full_name for single in SINGLES])
def test_a_single_deployment_is_of_the_flow_whose_name_it_bears(single: object) -> None:
    assert isinstance(single, Declaration)
    assert single.full_name == f"{single.load_flow().name}/ocrline"
    assert single.tags == ("ocrline",)


@pytest.mark.parametrize("single", [each for each in SINGLES if "retrain" in each.code])
def test_the_form_of_a_project_in_no_file_begins_with_labels_and_no_other_projects_name(
    single: Declaration,
) -> None:
    dataset = single.parameters["params"]["dataset"]

    assert dataset["source"] == "paddleocr"
    assert dataset["name"] in ("lines", "pages")

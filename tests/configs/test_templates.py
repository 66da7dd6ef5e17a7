"""Resource templates: layered like presets, and under what a project says itself."""

from pathlib import Path
from typing import Any

import pytest

from configs.layers import names_in
from configs.presets import ConfigError, load_params
from configs.retrain import RetrainLinesParams, RetrainPagesParams
from configs.templates import TEMPLATES, load_template
from configs.training import TEMPLATE_NAMES


def lines(*overrides: str, preset: str = "_base") -> RetrainLinesParams:
    params = load_params(preset, overrides=list(overrides))
    assert isinstance(params, RetrainLinesParams)
    return params


@pytest.mark.parametrize("name", TEMPLATE_NAMES)
def test_every_shipped_template_is_valid_and_trains_both_engines_on_lines_and_pages(
    name: str,
) -> None:
    for preset in ("meters", "meters-ppocr", "plates-accurate", "receipts", "receipts-accurate"):
        assert load_params(preset, overrides=[f"resources.template={name}"])


def test_templates_that_ship_are_those_of_the_form() -> None:
    assert names_in(TEMPLATES) == sorted(TEMPLATE_NAMES)


def test_a_template_gives_what_nobody_states() -> None:
    params = lines("resources.template=medium")

    medium = load_template("medium")
    expected = medium.resources.model_copy(update={"template": "medium"})
    assert params.resources == expected
    assert (params.training.batch_size, params.training.amp) == (128, "O1")


def test_what_the_project_or_the_command_line_states_wins_even_where_it_is_the_default(
    tmp_path: Path,
) -> None:
    project = tmp_path / "own.yaml"
    project.write_text(
        "extends: _base\ntraining: {batch_size: 16}\nresources: {template: large, memory_gib: 0}\n"
    )

    params = lines("resources.devices=1", preset=str(project))

    assert (params.resources.devices, params.resources.memory_gib) == (1, 0)
    assert (params.resources.device, params.resources.cpus) == ("gpu", 64)
    assert (params.training.batch_size, params.training.amp) == (16, "O1")


def test_precision_is_only_set_where_net_and_device_allow_it() -> None:
    on_processors = lines("resources={template: medium, device: cpu}")
    net = "{net: ppocr-v6-small, height_px: 48, guide_weight: 0, learning_rate: 1e-4}"
    learnt_on = lines("resources.template=medium", f"training={net}")

    assert (on_processors.training.amp, learnt_on.training.amp) == ("off", "off")


def test_the_batch_of_paddleocr_is_that_of_all_devices() -> None:
    foreign = "training={engine: paddleocr}"
    large = lines("resources.template=large", foreign)
    several = ("resources.nodes=4", "resources.rendezvous=first:29500")
    joined = lines("resources.template=multi-node", foreign, *several)

    assert large.training.batch_size == 8 * 128
    assert joined.training.batch_size == 4 * 8 * 128


def test_detector_and_recogniser_get_batches_of_their_own() -> None:
    params = load_params("_pages", overrides=["resources.template=large", "task=pages"])

    assert isinstance(params, RetrainPagesParams)
    assert (params.detector.batch_size, params.recogniser.batch_size) == (16, 128)


def test_own_file_extends_a_template_that_ships(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("extends: medium\nresources: {gpu: A10, memory_gib: 48}\n")

    resources = lines(f"resources.template={own}").resources

    assert (resources.gpu, resources.memory_gib, resources.cpus) == ("A10", 48, 8)
    assert resources.template == str(own)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("extends: meduim", "No template or file 'meduim'; did you mean medium?"),
        ("extends: medium\nresource: {}", "resource: Extra inputs are not permitted"),
        ("extends: medium\nresources: {cpus: -1}", "resources.cpus: Input should be greater"),
        ("extends: own.yaml", "'extends' runs in a circle"),
        ("resources: {}", "description: Field required"),
    ],
)
def test_a_wrong_template_is_named(tmp_path: Path, content: str, said: str) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(content)

    with pytest.raises(ConfigError) as refused:
        load_params("_base", overrides=[f"resources.template={own}"])

    assert said in str(refused.value)


@pytest.mark.parametrize("name", ["mediun", "../presets/demo", "3"])
def test_a_wrong_name_leads_to_the_right_ones(name: str) -> None:
    with pytest.raises(ConfigError, match=r"medium|valid string|description: Field required"):
        load_params("_base", overrides=[f"resources.template={name}"])


def test_a_form_which_states_every_field_gets_the_templates_where_it_holds_defaults() -> None:
    sent: dict[str, Any] = lines().model_dump(mode="json")
    sent["resources"] |= {"template": "medium", "cpus": 4}

    params = RetrainLinesParams.model_validate(sent)

    assert (params.resources.device, params.resources.cpus) == ("gpu", 4)
    assert (params.training.batch_size, params.training.amp) == (128, "O1")


def test_a_wrong_template_of_a_form_is_refused_with_the_names() -> None:
    with pytest.raises(ValueError, match="did you mean medium"):
        RetrainLinesParams.model_validate({"resources": {"template": "medum"}})

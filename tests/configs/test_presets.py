"""Presets: layering, overrides, and what a wrong key is told."""

import re
from pathlib import Path

import pytest

from configs.layers import names_in
from configs.presets import PRESETS, ConfigError, load_params
from configs.retrain import RetrainLinesParams, RetrainPagesParams
from configs.training import RecogniserTrainingParams


@pytest.mark.parametrize("name", names_in(PRESETS))
def test_every_shipped_preset_is_valid(name: str) -> None:
    assert load_params(name).name == name


def test_layers_are_applied_base_then_domain_then_project(tmp_path: Path) -> None:
    (tmp_path / "domain.yaml").write_text("extends: _base\ntraining: {epochs: 3, batch_size: 4}\n")
    project = tmp_path / "project.yaml"
    project.write_text("extends: domain.yaml\nname: meters\ntraining: {epochs: 5}\n")

    params = load_params(str(project), overrides=["training.size=small"])

    assert isinstance(params, RetrainLinesParams)
    assert params.name == "meters"
    assert isinstance(params.training, RecogniserTrainingParams)
    assert (params.training.epochs, params.training.batch_size) == (5, 4)
    assert params.training.size == "small"
    assert params.gate.max_relative_drop == 0.02


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("training.epocs=3", "training.epocs: unknown key; did you mean training.epochs?"),
        ("trainings.epochs=3", "trainings: unknown key; did you mean training?"),
        ("training.zzz=3", "training.zzz: unknown key; allowed here: epochs, batch_size"),
        ("training.epochs=0", "training.epochs: 0 is not allowed; input should be greater"),
        ("training.epochs=many", "training.epochs: 'many' is not allowed; input should be a valid"),
        ("gate.min_accuracy=on", "expected a number, got yes, on or true"),
        ("training.size=huge", "training.size: 'huge' is not allowed; input should be 'small'"),
        ("training=3", "training: 3 is not allowed; input should be a valid dictionary"),
        ("dataset.limits.max_bad_share=1.5", "dataset.limits.max_bad_share: 1.5 is not allowed"),
        ("name=../evil", "name: '../evil' is not allowed; string should match pattern"),
        ("training.epochs", "--set 'training.epochs': expected key.path=value"),
        ("=3", "--set '=3': expected key.path=value"),
        ("dataset.name=", "dataset.name: '' is not allowed; string should match pattern"),
        ("training.learning_rate=nan", "training.learning_rate: 'nan' is not allowed"),
        (f"training={'[' * 5000}", "--set 'training=[[[[[[[[[[[[[[[[[[["),
        (f"{'a.' * 5000}b=1", "a: unknown key; allowed here: name"),
        (f"training.epochs={'1' * 6000}", "': Exceeds the limit (4300 digits) for integer"),
        (f"training.epochs=0x{'f' * 6000}", "': Exceeds the limit (4300 digits) for integer"),
        ("dataset.root=2026-11-31", "--set 'dataset.root=2026-11-31': day is out of range"),
        ("training=&a {b: *a}", "--set 'training=&a {b: *a}': Circular reference detected"),
    ],
)
def test_a_wrong_key_or_value_is_named_by_its_full_path(override: str, expected: str) -> None:
    with pytest.raises(ConfigError) as error:
        load_params("smoke", overrides=[override])

    assert expected in str(error.value)


def test_of_a_value_that_is_long_and_deep_only_a_little_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    layers = "\n".join(
        f"- &{name} [{', '.join([f'*{below}'] * 9)}]"
        for below, name in zip("abcd", "bcde", strict=True)
    )
    path.write_text(f"name:\n- &a [{'x' * 500}]\n{layers}\n")

    with pytest.raises(ConfigError, match=r"name: .* is not allowed") as error:
        load_params(str(path))

    assert len(str(error.value)) < 1000


def test_overrides_that_are_nested_too_deep_together_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"--set 'a\.a\.a.*': nested too deep"):
        load_params("smoke", overrides=[f"{'a.' * 5000}{key}=1" for key in "bc"])


@pytest.mark.parametrize(
    "text", ["[" * 5000, "1" * 6000, "name: 2026-11-31", "name: &a [*a]", "\xff"]
)
def test_a_file_that_cannot_be_read_is_one_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(ConfigError, match=r"own.yaml: not YAML in UTF-8"):
        load_params(str(path))


def test_composition_of_lines_of_any_width_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"composition\.enabled needs layout: fixed"):
        load_params("plates", overrides=["training.layout=line"])


@pytest.mark.parametrize(
    ("preset", "override", "expected"),
    [
        ("plates", "training.keep_charset=true", "training: keep_charset needs net: ppocr-v6"),
        (
            "plates",
            "training.net=ppocr-v6-small",
            (
                "training: net: ppocr-v6-small needs height_px: 48, guide_weight: 0, "
                "learning_rate: at most 2e-4"
            ),
        ),
        (
            "receipts",
            "recogniser.net=ppocr-v6-small",
            (
                "recogniser: net: ppocr-v6-small needs height_px: 48, gray: false, "
                "guide_weight: 0, learning_rate: at most 2e-4"
            ),
        ),
        ("plates-accurate", "training.size=small", "ppocr-v6-small needs size: base"),
        ("plates-accurate", "training.amp=O1", "ppocr-v6-small needs amp: off"),
        (
            "receipts",
            "detector.net=ppocr-v6-small",
            "detector: net: ppocr-v6-small needs learning_rate: at most 1e-3",
        ),
        (
            "receipts",
            "detector={net: ppocr-v6-small, learning_rate: 1e-4, long_side_px: 4000}",
            "detector: net: ppocr-v6-small needs long_side_px: at most 2560",
        ),
    ],
)
def test_what_a_net_cannot_be_trained_with_is_named(
    preset: str, override: str, expected: str
) -> None:
    with pytest.raises(ConfigError) as error:
        load_params(preset, overrides=[override])

    assert expected in str(error.value)


def test_a_project_of_pages_has_parameters_of_its_own(tmp_path: Path) -> None:
    project = tmp_path / "project.yaml"
    project.write_text("extends: _pages\nname: letters\ndetector: {long_side_px: 960}\n")

    params = load_params(str(project), overrides=["recogniser.height_px=24"])

    assert isinstance(params, RetrainPagesParams)
    assert isinstance(params.recogniser, RecogniserTrainingParams)
    assert (params.detector.long_side_px, params.recogniser.height_px) == (960, 24)
    assert (params.detector_name, params.recogniser_name) == (
        "letters-detector",
        "letters-recogniser",
    )


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("training.epochs=3", "training: unknown key; allowed here: name, dataset, detector"),
        ("detector.epocs=3", "detector.epocs: unknown key; did you mean detector.epochs?"),
        ("task=lines", "task: 'lines' is not allowed; expected one of recognition, pages"),
        ("task=[pages]", "task: ['pages'] is not allowed; expected one of recognition, pages"),
        ("task=recognition", "detector: unknown key; allowed here: name, dataset, training"),
    ],
)
def test_a_key_of_another_task_is_unknown(tmp_path: Path, override: str, expected: str) -> None:
    project = tmp_path / "project.yaml"
    project.write_text("task: pages\ndetector: {long_side_px: 960}\n")

    with pytest.raises(ConfigError) as error:
        load_params(str(project), overrides=[override])

    assert expected in str(error.value)


def test_an_unknown_preset_names_those_that_exist() -> None:
    with pytest.raises(
        ConfigError, match="presets are demo, meters, meters-ppocr, plates, plates-acc"
    ):
        load_params("plate")


@pytest.mark.parametrize("preset", ["smoke", "smoke-pages"])
def test_a_bundle_as_baseline_is_named(preset: str) -> None:
    with pytest.raises(ConfigError, match="baseline_bundle must name one: NAME:VERSION"):
        load_params(preset, overrides=["evaluation.baseline=bundle"])


@pytest.mark.parametrize(
    ("preset", "overrides", "expected"),
    [
        (
            "smoke",
            ["gate.min_accuracy=0"],
            (
                "evaluation.baseline is none and gate.min_accuracy is 0, so any first model would "
                "pass; name a baseline (rapidocr) or set a floor above 0"
            ),
        ),
        (
            "smoke-pages",
            ["gate.min_hmean=0"],
            (
                "evaluation.baseline is none and gate.min_hmean is 0, so any first model would "
                "pass; name a baseline (rapidocr) or set a floor above 0"
            ),
        ),
        (
            "plates",
            ["evaluation.baseline=number"],
            "evaluation: baseline is number, so baseline_accuracy must be above 0",
        ),
        (
            "demo",
            ["evaluation.baseline_hmean=0"],
            "evaluation: baseline is number, so baseline_hmean must be above 0",
        ),
    ],
)
def test_a_first_model_needs_a_floor_or_a_baseline_above_0(
    preset: str, overrides: list[str], expected: str
) -> None:
    with pytest.raises(ConfigError) as error:
        load_params(preset, overrides=overrides)

    assert str(error.value) == expected


@pytest.mark.parametrize(
    ("preset", "floor"), [("plates", "min_accuracy"), ("receipts", "min_hmean")]
)
def test_a_floor_stands_in_for_a_baseline(preset: str, floor: str) -> None:
    params = load_params(preset, overrides=["evaluation.baseline=none", f"gate.{floor}=0.5"])

    assert params.evaluation.baseline == "none"


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        ("[{name: a, labels: x}, {name: a, labels: y}]", "1.name: 'a' is the name of evaluation.f"),
        ("[{name: a, labels: x}, {name: b, labels: ./x}]", "1.labels: ./x is what evaluation.furt"),
        ("[{name: plates, labels: x}]", "0.name: 'plates' is the name of the dataset"),
        ("[{name: a, labels: rec_test.txt}]", "0.labels: rec_test.txt is what dataset.test_labels"),
        ("[{name: a}]", "0: labels is empty; the source paddleocr needs it"),
        ("[{name: A, labels: x}]", "0.name: 'A' is not allowed"),
        ("[{name: a, labels: x, min_acuracy: 1}]", "did you mean evaluation.further.0.min_accurac"),
    ],
)
def test_further_sets_that_cannot_be_are_named_before_anything_runs(sets: str, said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        load_params("plates", overrides=[f"evaluation.further={sets}"])


def test_a_further_set_of_pages_is_not_named_as_the_lines_cut_out_of_the_dataset() -> None:
    given = ["evaluation.further=[{name: receipts-lines, labels: x}]"]

    with pytest.raises(ConfigError, match="'receipts-lines' is the name of the dataset's lines"):
        load_params("receipts", overrides=given)


def test_keys_in_the_address_of_a_further_set_are_not_shown() -> None:
    sets = ", ".join(f"{{name: {name}, root: 's3://key:SECRET@b', labels: x}}" for name in "ab")

    with pytest.raises(ConfigError, match="names already") as refused:
        load_params("plates", overrides=[f"evaluation.further=[{sets}]"])

    assert "SECRET" not in str(refused.value)


def test_further_sets_of_both_kinds_are_read_from_a_file(tmp_path: Path) -> None:
    for below, floor in (("plates", "min_accuracy"), ("receipts", "min_hmean")):
        (tmp_path / "own.yaml").write_text(
            f"extends: {below}\nevaluation:\n  further:\n"
            f"    - {{name: general, root: general, labels: a.txt, {floor}: 0.6}}\n"
        )
        (general,) = load_params(str(tmp_path / "own.yaml")).evaluation.further
        assert (general.name, general.margin, getattr(general, floor)) == ("general", 0.02, 0.6)

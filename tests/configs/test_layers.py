"""Files of YAML in layers; keys of PaddleOCR's are nested, and go with their net."""

from pathlib import Path

import pytest

from configs.layers import ConfigError, read_yaml
from configs.paddleocr import PaddleOcrRecogniserParams
from configs.presets import load_params
from configs.retrain import RetrainLinesParams, RetrainPagesParams


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("- a\n- b\n", "expected keys and values, found list"),
        ("a: [1\n", "not YAML in UTF-8"),
        ("extends: nowhere\n", "No preset or file 'nowhere'"),
        ("extends: project.yaml\n", "runs in a circle"),
        ("extends: ./project.yaml\n", "runs in a circle"),
        ("extends: ../here/project.yaml\n", "runs in a circle"),
        ("training: {epochs: 30}\nname: x\ntraining:\n  seed: 5\n", "lines 1 and 3"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, content: str, expected: str) -> None:
    project = tmp_path / "here" / "project.yaml"
    project.parent.mkdir()
    project.write_text(content)

    with pytest.raises(ConfigError) as error:
        load_params(str(project))

    assert expected in str(error.value)


def test_aliases_that_are_gigabytes_written_out_are_refused() -> None:
    levels = "\n".join(
        f"{name}: &{name} [{', '.join([f'*{below}'] * 9)}]"
        for below, name in zip("abcdefgh", "bcdefghi", strict=True)
    )

    with pytest.raises(ValueError, match="more than 4194304 characters, its aliases written out"):
        read_yaml(f"a: &a [{', '.join('x' * 9)}]\n{levels}")


def test_merged_keys_that_are_millions_are_refused() -> None:
    levels = "\n".join(
        f"{name}: &{name}\n  <<: [{', '.join([f'*{below}'] * 10)}]\n  {name}: 1"
        for below, name in zip("abcdef", "bcdefg", strict=True)
    )
    keys = ", ".join(f"k{number}: 1" for number in range(1000))

    with pytest.raises(ValueError, match="more than 65536 keys, merged ones among them"):
        read_yaml(f"a: &a {{{keys}}}\n{levels}")


def test_a_key_of_a_mapping_counts_before_what_is_merged_into_it() -> None:
    text = "base: &base {epochs: 3, seed: 1}\nmore: &more {batch: 2}\nown:\n"
    text += "  <<: *base\n  epochs: 5\n  <<: *more\n"

    assert read_yaml(text)["own"] == {"epochs": 5, "seed": 1, "batch": 2}


def test_a_merged_mapping_may_have_merged_itself() -> None:
    text = "root: &root {k: 1, z: 3}\na:\n  x: &base\n    <<: *root\n    k: 2\nb:\n  <<: *base\n"

    assert read_yaml(text)["b"] == {"k": 2, "z": 3}


def test_overrides_of_the_command_line_are_nested_in_those_of_the_preset() -> None:
    given = ["training.overrides.Optimizer.beta1=0.8", "training.overrides.Global.debug=true"]

    params = load_params("plates-ppocr", overrides=given)

    assert isinstance(params, RetrainLinesParams)
    assert isinstance(params.training, PaddleOcrRecogniserParams)
    assert params.training.overrides == {
        "Architecture": {"Backbone": {"model_name": "small"}},
        "Global": {"cal_metric_during_train": False, "debug": True},
        "Optimizer": {"beta1": 0.8},
    }


@pytest.mark.parametrize("last", ["recogniser.net=pp-ocrv3-mobile", "recogniser.width_px=640"])
def test_another_net_takes_the_place_of_the_presets_with_its_overrides(last: str) -> None:
    given = [
        "recogniser.overrides.Global.debug=true",
        "recogniser.net=pp-ocrv3-mobile",
        "recogniser.width_px=640",
    ]
    given.sort(key=lambda each: each == last)  # they mean the same in any order

    params = load_params("receipts-ppocr", overrides=given)

    assert isinstance(params, RetrainPagesParams)
    assert isinstance(params.recogniser, PaddleOcrRecogniserParams)
    assert (params.recogniser.net, params.recogniser.width_px) == ("pp-ocrv3-mobile", 640)
    assert params.recogniser.overrides == {"Global": {"debug": True}}


def test_overrides_of_a_layer_that_names_no_net_are_not_for_the_one_above(tmp_path: Path) -> None:
    domain, project = tmp_path / "domain.yaml", tmp_path / "own.yaml"
    domain.write_text(
        "extends: _base\ntask: recognition\nname: own\n"
        "training: {engine: paddleocr, overrides: {Global: {debug: true}}}\n"
    )
    project.write_text("extends: domain.yaml\ntraining: {net: pp-ocrv3-mobile}\n")

    params = load_params(str(project))

    assert isinstance(params, RetrainLinesParams)
    assert isinstance(params.training, PaddleOcrRecogniserParams)
    assert params.training.overrides == {}

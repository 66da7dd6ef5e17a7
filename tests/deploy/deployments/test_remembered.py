"""Which projects an apply knows of."""

import re
from pathlib import Path

import pytest

from deploy.deployments.memory import read_remembered, remember
from deploy.deployments.remembered import EVERY_MACHINE, declare_all, find_gone, name_sources
from ocr.errors import BadData
from tests.deploy.deployments.conftest import write_project


def test_projects_of_before_come_first_files_by_full_path_and_each_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_project(tmp_path / "digits.yaml")
    remember(tmp_path, {"every machine": ["evaluate/ocrline"], "demo": [], str(file): []})
    monkeypatch.chdir(tmp_path)

    sources = name_sources(read_remembered(tmp_path), ["digits.yaml", "meters"])

    assert sources == ["demo", str(file), "meters"]


def test_a_file_that_is_gone_declares_nothing_any_more(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone.yaml")
    remembered = {"demo": [], gone: ["retrain-lines/gone"]}

    assert name_sources(remembered, []) == ["demo"]
    assert find_gone(remembered) == [gone]


def test_two_projects_of_one_name_are_refused(tmp_path: Path) -> None:
    files = [str(write_project(tmp_path / name)) for name in ("a.yaml", "b.yaml")]

    declared, refused = declare_all(files)

    assert list(declared) == [EVERY_MACHINE, files[0]]
    assert re.match(r"name: 'digits' is of .*a\.yaml and of .*b\.yaml", refused[files[1]])


def test_a_project_whose_deployment_would_be_that_of_another_is_refused(tmp_path: Path) -> None:
    good = str(write_project(tmp_path / "good.yaml"))
    smoke = str(write_project(tmp_path / "smoke.yaml", name="digits-smoke"))
    form = str(write_project(tmp_path / "form.yaml", name="ocrline"))

    for sources, said in (
        ([good, smoke], f"retrain-lines/digits-smoke is of {good} and of {smoke}"),
        ([smoke, good], f"retrain-lines/digits-smoke is of {smoke} and of {good}"),
        ([form], f"retrain-lines/ocrline is of every machine and of {form}"),
    ):
        _, refused = declare_all(sources)

        assert refused[sources[-1]] == f"the deployment {said}; give the project another name"


def test_the_list_of_a_release_before_is_read(tmp_path: Path) -> None:
    (tmp_path / "deployments.json").write_text('{"projects": ["/data/plates.yaml", "demo"]}')

    assert read_remembered(tmp_path) == {"/data/plates.yaml": [], "demo": []}


@pytest.mark.parametrize("content", ["{", "[]", '{"projects": 1}', "{}"])
def test_a_damaged_list_is_named_and_mended_by_hand(tmp_path: Path, content: str) -> None:
    (tmp_path / "deployments.json").write_text(content)

    with pytest.raises(BadData, match=r"deployments\.json is damaged: .*apply each project"):
        read_remembered(tmp_path)

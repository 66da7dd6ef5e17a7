"""The tree and interpreter of a job: unchanged since its key was made, on a machine looked at."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from configs.jobs import PaddleOcrRuntime
from ocr.errors import BadInput, OcrError
from ocr.machine.packages import check_packages, find_paddle
from ocr.source_tree import find_source_tree
from training.paddleocr.runtime import LOCK, describe_runtime, find_unchanged, foreign_machine


@pytest.fixture
def runtime(tmp_path: Path) -> PaddleOcrRuntime:
    for name in ("tools/train.py", "tools/export_model.py", "configs/a.yml", "ppocr/net.py"):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}")
    found = find_source_tree(str(tmp_path / "tree"), Path(sys.executable))
    return PaddleOcrRuntime(
        home=str(found.home), python=sys.executable, tree=found.tree, packages=found.packages
    )


def test_a_tree_that_changed_since_is_no_longer_that_of_the_key(runtime: PaddleOcrRuntime) -> None:
    find_unchanged(runtime)
    (Path(runtime.home) / "ppocr/net.py").write_text("# another")

    with pytest.raises(OcrError, match=r"The source tree \S+ was changed .*run again") as changed:
        find_unchanged(runtime)

    assert not isinstance(changed.value, BadInput)  # a retry makes the key of the new tree


def test_packages_that_changed_since_are_no_longer_those_of_the_key(
    runtime: PaddleOcrRuntime,
) -> None:
    other = runtime.model_copy(update={"packages": "0" * 64})

    with pytest.raises(OcrError, match=r"What is installed for \S+python\S* was changed since"):
        find_unchanged(other)


def test_the_machine_that_is_looked_at_has_the_packages_of_the_trainer(
    runtime: PaddleOcrRuntime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINIO_SECRET_KEY", "hush-hush")
    site = tmp_path / "site"
    (site / "paddlepaddle_gpu-3.2.1.dist-info").mkdir(parents=True)
    (site / "paddle/version").mkdir(parents=True)
    (site / "paddle/version/__init__.py").write_text("cuda_version     = '12.6'\n")
    found = find_unchanged(runtime)
    found = replace(found, interpreter=replace(found.interpreter, folders=(site,)))

    machine = foreign_machine(found)

    paddle = find_paddle(machine)
    assert paddle is not None
    assert (paddle.version, paddle.cuda) == ("3.2.1", "12.6")
    assert "hush-hush" not in machine.environment.values()
    assert LOCK.is_file()
    assert "make paddleocr-runtime installs what was tested" in str(check_packages(machine))


def test_the_record_names_what_trained(runtime: PaddleOcrRuntime) -> None:
    found = find_unchanged(runtime)
    interpreter = replace(
        found.interpreter, version="3.9.1", packages={"paddlepaddle": "3.0.0", "lmdb": "1.4"}
    )

    record = describe_runtime(replace(found, interpreter=interpreter))

    assert (record["python"], record["paddle"]) == ("3.9.1", "3.0.0")
    assert record["packages"] == "python 3.9.1, lmdb 1.4, paddlepaddle 3.0.0"

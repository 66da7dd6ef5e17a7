"""PaddleOCR's source tree: found, told apart, and missed with the command that brings it."""

import errno
import os
import platform
import signal
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest

from ocr import source_tree
from ocr.errors import BadInput
from ocr.source_tree import find_config, find_home, find_source_tree
from training.loop.guards import is_alive

PYTHON = Path(sys.executable)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("tools/train.py", "tools/export_model.py", "configs/rec/a.yml", "ppocr/net.py"):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {name}")
    return tmp_path / "tree"


def test_a_tree_is_known_by_its_code_wherever_it_lies(tree: Path, tmp_path: Path) -> None:
    before = find_source_tree(str(tree), PYTHON)
    (tree / "ppocr/net.pyc").write_text("a cache")
    moved = find_source_tree(str(tree.rename(tmp_path / "moved")), PYTHON)
    (tmp_path / "moved/ppocr/net.py").write_text("# changed")
    changed = find_source_tree(str(tmp_path / "moved"), PYTHON)

    assert moved.tree == before.tree != changed.tree
    assert before.packages == changed.packages


def test_only_the_config_of_the_net_counts_of_all_configs(tree: Path) -> None:
    config = find_config(tree, "configs/rec/a.yml", "rec")
    before = find_source_tree(str(tree), PYTHON, config=config)
    (tree / "configs/rec/of_another_project.yml").write_text("# b")
    beside = find_source_tree(str(tree), PYTHON, config=config)
    (tree / config).write_text("# changed")

    assert before.tree == beside.tree
    assert before.tree != find_source_tree(str(tree), PYTHON, config=config).tree


def test_a_linked_folder_counts_and_a_pipe_or_a_circle_is_not_waited_for(
    tree: Path, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/loader.py").write_text("# one")
    (tree / "ppocr/data").symlink_to(tmp_path / "data")
    os.mkfifo(tree / "ppocr/pipe.yml")
    (tree / "ppocr/round").symlink_to(tree / "ppocr")
    (tree / "ppocr/gone.yml").symlink_to(tmp_path / "gone")
    before = find_source_tree(str(tree), PYTHON)

    (tmp_path / "data/loader.py").write_text("# another")

    assert find_source_tree(str(tree), PYTHON).tree != before.tree


def test_what_cannot_be_read_is_named_with_its_path(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def vanished(path: Path) -> bytes:
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", path)

    monkeypatch.setattr(Path, "read_bytes", vanished)
    with pytest.raises(
        BadInput, match=r"PADDLEOCR_HOME: .*tree/ppocr/net.py: No such file .*; let this user"
    ):
        find_source_tree(str(tree), PYTHON)


def test_an_interpreter_says_what_it_has(tree: Path) -> None:
    found = find_source_tree(str(tree), PYTHON).interpreter

    assert found.version == platform.python_version()
    assert found.paddle == version("paddlepaddle")
    assert f", pydantic {version('pydantic')}, " in found.named()
    assert any((folder / "paddle").is_dir() for folder in found.folders)


@pytest.mark.parametrize("home", ["", "none", ".", "a\0b"])
def test_a_missing_tree_is_said_with_the_one_command(home: str) -> None:
    with pytest.raises(
        BadInput, match=r"PADDLEOCR_HOME.*: git clone --depth 1 --branch v\S+ https"
    ):
        find_source_tree(home, PYTHON)


def test_a_missing_interpreter_is_said_with_the_one_command(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no interpreter .*none.*: make paddleocr-runtime; or name"):
        find_source_tree(str(tree), tmp_path / "none")


def test_an_interpreter_without_paddle_is_said(tree: Path, tmp_path: Path) -> None:
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    bare.chmod(0o755)

    with pytest.raises(
        BadInput, match="has no Paddle: No module named 'paddle'; make it: make pad"
    ):
        find_source_tree(str(tree), bare)


@pytest.mark.parametrize("says", ["exit 0", "echo Hello", "head -c 1000 /dev/urandom"])
def test_what_is_no_interpreter_is_said(says: str, tree: Path, tmp_path: Path) -> None:
    other = tmp_path / "python"
    other.write_text(f"#!/bin/sh\n{says}\n")
    other.chmod(0o755)

    with pytest.raises(BadInput, match="is no Python: it lists no packages; make it: make pad"):
        find_source_tree(str(tree), other)


@pytest.mark.parametrize(
    "secret", ["MINIO_SECRET_KEY", "LANGCHAIN_API_KEY", "HOMEBREW_GITHUB_API_TOKEN"]
)
def test_nothing_secret_reaches_the_interpreter(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, secret: str
) -> None:
    monkeypatch.setenv(secret, "hush-hush")
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\necho "${secret}" >&2\nexit 1\n')
    other.chmod(0o755)

    with pytest.raises(BadInput) as refused:
        find_source_tree(str(tree), other)

    assert "hush-hush" not in str(refused.value)


def test_a_folder_that_cannot_be_looked_into_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")

    for home, reason in ((str(tmp_path / "loop"), "Symlink loop"), ("x" * 300, "File name too")):
        with pytest.raises(BadInput, match=rf"^PADDLEOCR_HOME={home}: .*{reason}.*; get the tree"):
            find_home(home)


def test_what_a_site_says_before_is_not_taken_for_the_answer(tree: Path, tmp_path: Path) -> None:
    answer = '{"version": "3.11.7", "packages": {"paddlepaddle": "3.3.1"}, "folders": []}'
    other = tmp_path / "python"
    other.write_text(f"#!/bin/sh\necho Activating\necho '{answer}'\n")
    other.chmod(0o755)

    assert find_source_tree(str(tree), other).interpreter.paddle == "3.3.1"


def test_an_interpreter_that_hangs_is_ended_with_what_it_started(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = tmp_path / "child"
    other = tmp_path / "python"
    other.write_text(f"#!/bin/sh\nsleep 300 & echo $! > {child}\nwait\n")
    other.chmod(0o755)
    monkeypatch.setattr(source_tree, "_TIMEOUT_S", 1)

    with pytest.raises(BadInput, match=r"gave no answer within 1 s; make it"):
        find_source_tree(str(tree), other)

    ended = time.monotonic() + 60
    while is_alive(int(child.read_text())):
        assert time.monotonic() < ended, "it still runs"
        time.sleep(0.05)


@pytest.mark.parametrize("script", ["cat /dev/zero", "cat /dev/zero >&2"])
def test_an_interpreter_that_never_stops_talking_takes_no_memory(
    script: str, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "python"
    other.write_text(f"#!/bin/sh\n{script}\n")
    other.chmod(0o755)
    monkeypatch.setattr(source_tree, "_MOST_SAID", 1 << 16)

    with pytest.raises(BadInput, match=r"has no Paddle: it said nothing; make it"):
        find_source_tree(str(tree), other)


def test_an_interpreter_is_not_waited_for_by_what_it_left_in_another_session(
    tree: Path, tmp_path: Path
) -> None:
    left = tmp_path / "left"
    other = tmp_path / "python"
    leave = f"setsid sh -c 'echo $$ > {left}; exec sleep 300' &"
    other.write_text(f"#!/bin/sh\n{leave}\nuntil [ -s {left} ]; do sleep .05; done\nexit 1\n")
    other.chmod(0o755)

    with pytest.raises(BadInput, match=r"has no Paddle: it said nothing; make it"):
        find_source_tree(str(tree), other)

    os.kill(int(left.read_text()), signal.SIGKILL)

"""Which code made a model: the commit of our own tree and no other's, else the release."""

import os
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from ocr.models.provenance import COMMIT, ROOT, describe_code, name_code

RELEASE = f"ocrline {version('ocrline')}"


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    run = subprocess.run(
        ["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    return run.stdout.strip()


def make_tree(root: Path, *, project: str = "ocrline") -> Path:
    """Make a tree that looks like a project's, committed."""
    (root / "ocr").mkdir(parents=True)
    (root / "pyproject.toml").write_text(f'[project]\nname = "{project}"\n')
    (root / "ocr" / "code.py").write_text("1\n")
    git(root, "init", "--quiet")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "first")
    return root


def test_the_commit_of_our_own_tree_is_named(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "ours")

    assert name_code(root) == git(root, "rev-parse", "HEAD")


def test_a_tree_with_changed_files_is_marked_as_dirty(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "ours")
    (root / "notes.txt").write_text("untracked")
    clean = name_code(root)

    (root / "ocr" / "code.py").write_text("2\n")

    assert clean == git(root, "rev-parse", "HEAD")
    assert name_code(root) == f"{clean}-dirty"


def test_a_tree_that_git_cannot_compare_is_not_called_clean(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "ours")
    commit = name_code(root)

    (root / ".git" / "index").write_bytes(b"damaged")

    assert name_code(root) == f"{commit}-dirty"


def test_installed_in_a_folder_of_another_repository_the_release_is_named(tmp_path: Path) -> None:
    theirs = make_tree(tmp_path / "theirs", project="theirs")
    installed = theirs / ".venv" / "site-packages"
    (installed / "ocr").mkdir(parents=True)

    assert name_code(installed) == RELEASE
    assert name_code(theirs) == RELEASE


def test_a_copy_of_ours_in_a_folder_of_another_repository_is_not_theirs(tmp_path: Path) -> None:
    theirs = make_tree(tmp_path / "theirs", project="theirs")
    copy = theirs / "vendor" / "ocrline"
    copy.mkdir(parents=True)
    (copy / "pyproject.toml").write_text('[project]\nname = "ocrline"\n')
    git(theirs, "add", ".")
    git(theirs, "commit", "--quiet", "--message", "vendored")

    assert name_code(copy) == RELEASE


def test_neither_the_current_folder_nor_a_hook_of_another_repository_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_tree(tmp_path / "ours")
    theirs = make_tree(tmp_path / "theirs", project="theirs")
    (theirs / "more").write_text("x")
    git(theirs, "add", ".")
    git(theirs, "commit", "--quiet", "--message", "second")
    ours = git(root, "rev-parse", "HEAD")
    monkeypatch.chdir(theirs)
    monkeypatch.setenv("GIT_DIR", str(theirs / ".git"))  # as git sets it for its hooks

    assert name_code(root) == ours


def test_without_git_the_release_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_tree(tmp_path / "ours")
    monkeypatch.setitem(os.environ, "PATH", str(tmp_path))

    assert name_code(root) == RELEASE


def test_a_copy_of_equal_code_has_the_name_it_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(COMMIT, "0123-dirty")

    assert name_code(tmp_path) == "0123-dirty"


def test_copies_are_told_apart_by_their_files_alone(tmp_path: Path) -> None:
    copies = [tmp_path / "here", tmp_path / "there", tmp_path / "changed"]
    for copy in copies:
        (copy / "ocr").mkdir(parents=True)
        (copy / "ocr" / "code.py").write_text("1\n")
    (copies[1] / "ocr" / "code.pyc").write_text("compiled")
    (copies[1] / "serving").mkdir()
    (copies[1] / "serving" / "code.py").write_text("runs no job\n")
    (copies[2] / "ocr" / "code.py").write_text("2\n")

    here, there, changed = (describe_code("train-recogniser", copy) for copy in copies)

    assert here == there
    assert {name for name in here if here[name] != changed[name]} == {"code"}


def test_a_paddle_for_gpus_counts_as_the_one_for_processors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = describe_code("train-recogniser", ROOT)
    gpu = {"paddlepaddle": "", "paddlepaddle-gpu": f"{here['paddlepaddle']}+cu126"}
    libraries = {name: it for name, it in here.items() if name != "code"} | gpu
    monkeypatch.setattr("ocr.models.provenance.library_versions", lambda _: libraries)

    assert describe_code("train-recogniser", ROOT) == here

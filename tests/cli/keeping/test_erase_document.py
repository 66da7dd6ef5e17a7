"""``ocrline erase-document``: shows first, removes when told to, here and on other machines."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from cli.main import run
from ocr.models.registry import Registry
from tasks.run.alone import alone
from tasks.workspace import Workspace, open_workspace
from tests.cli.keeping.toy_project import prepare_toy
from tests.toy_bundle import write_toy_bundle

DOCUMENT = "scans/7.png"


@pytest.fixture
def workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Workspace:
    """A store with a snapshot that has the document, and a version that learnt from it."""
    prepare_toy(tmp_path, monkeypatch)
    capsys.readouterr()
    workspace = open_workspace()
    digest = snapshot_of(workspace).rpartition("/")[2]
    bundle = write_toy_bundle(tmp_path / "bundle", version="v1", dataset_digest=digest)
    workspace.registry.register("toy", "v1", bundle)
    fetch(workspace)
    return workspace


def snapshot_of(workspace: Workspace) -> str:
    (key,) = (key for key in workspace.store.list("datasets") if key.endswith("samples.parquet"))
    return key.rpartition("/")[0]


def fetch(workspace: Workspace) -> None:
    """Copy to the home of a machine what its runs do, and leave the work of a killed one."""
    workspace.fetch_bundle(workspace.registry.version("toy", "v1"))
    workspace.copy_tables(snapshot_of(workspace))
    work = workspace.home / "jobs" / "train-0"
    work.mkdir(parents=True)
    (work / "job.json").write_text(json.dumps({"snapshot": snapshot_of(workspace)}))
    other = workspace.home / "jobs" / "train-1"
    other.mkdir()
    (other / "job.json").write_text(json.dumps({"snapshot": f"datasets/toy/{'0' * 64}"}))


def files(home: Path) -> list[str]:
    """List what lies in a home of documents; what is locked has a file for that."""
    found = (each for each in home.glob("[bjs]*/**/*") if each.is_file())
    return sorted(str(each.relative_to(home)) for each in found if each.suffix != ".lock")


def test_what_would_go_is_shown_and_stays(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    before = [*workspace.store.list("")]

    assert run(["erase-document", DOCUMENT]) == 0

    shown = capsys.readouterr().out.replace("\n", "")
    assert "3 things of the store and 3 of this machine would go; --yes removes them" in shown
    assert "models/toy/v1" in shown
    assert [*workspace.store.list("")] == before


def test_told_so_it_goes_with_the_copies_of_this_machine(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["erase-document", DOCUMENT, "--yes", "--json"]) == 0

    said = json.loads(capsys.readouterr().out)
    assert [each["kind"] for each in said["things"]] == ["snapshot", "test split", "version"]
    assert (len(said["copies"]), said["left"]) == (3, [])
    assert files(workspace.home) == ["jobs/train-1/job.json"]
    assert run(["erase-document", DOCUMENT]) == 0
    assert capsys.readouterr().out.startswith("nothing in file://")


def test_what_is_online_is_in_the_way_and_nothing_goes(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace.registry.promote("toy", "v1", reason="better")
    before = [*workspace.store.list("")]

    assert run(["erase-document", DOCUMENT]) == 0
    assert "in the way: toy@champion is toy:v1" in capsys.readouterr().out
    assert run(["erase-document", DOCUMENT, "--yes"]) == 2
    assert "toy@champion is toy:v1, which was made of them" in capsys.readouterr().err
    assert [*workspace.store.list("")] == before


def test_another_machine_removes_its_copies_of_what_was_erased_elsewhere(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = Workspace(workspace.store, tmp_path / "elsewhere")
    fetch(Workspace(workspace.store, elsewhere.home))
    assert run(["erase-document", DOCUMENT, "--yes"]) == 0
    assert len(files(elsewhere.home)) > 10

    monkeypatch.setenv("OCRLINE_HOME", str(elsewhere.home))
    assert run(["erase-document", DOCUMENT, "--yes"]) == 0

    assert files(elsewhere.home) == ["jobs/train-1/job.json"]


def test_what_a_run_works_with_is_named_and_ends_with_5(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    with alone(workspace.home, "train-0", stage="train"):
        assert run(["erase-document", DOCUMENT, "--yes"]) == 5

    assert "1 are still there, such as" in (said := capsys.readouterr().err)
    assert "jobs/train-0" in said.replace("\n", "")
    assert run(["erase-document", DOCUMENT, "--yes"]) == 0
    assert not Registry(workspace.store).has_version("toy", "v1")


def test_a_page_of_the_home_goes_for_good_and_what_is_no_page_of_ours_stays(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    report, page = b'{"candidate": {"name": "toy:v1"}}', b"<html>A7"
    workspace.store.put_bytes("evaluations/e1/report.json", report)
    workspace.store.put_bytes(f"reports/e1/{hashlib.sha256(page).hexdigest()}.html", page)
    reports = workspace.home / "reports"
    (reports / "a folder.html").mkdir(parents=True)
    (reports / "nowhere.html").symlink_to("gone.html")
    (reports / "toy-v1.html").write_bytes(page)
    (reports / "toy-v2.html").write_bytes(b"<html>another")

    assert run(["erase-document", DOCUMENT, "--yes", "--json"]) == 0

    assert len(json.loads(capsys.readouterr().out)["copies"]) == 4
    assert {each.name for each in reports.iterdir()} == {
        "a folder.html",
        "nowhere.html",
        "toy-v2.html",
    }


def test_what_killed_runs_and_a_killed_erasure_left_here_goes(workspace: Workspace) -> None:
    half = workspace.home / "jobs" / "prepare-toy" / "snapshot"
    half.mkdir(parents=True)
    (half / "samples.parquet").write_bytes(b"A7")
    (bundle,) = (workspace.home / "bundles").glob("*/toy/v1")
    shutil.copytree(bundle, bundle.with_name(".removed.part"))
    bundle.rename(bundle.with_name(".fetched.part"))

    assert run(["erase-document", DOCUMENT, "--yes"]) == 0

    assert files(workspace.home) == ["jobs/train-1/job.json"]


def test_copies_of_what_prune_took_from_the_store_go_too(workspace: Workspace) -> None:
    for key in [*workspace.store.list("models"), *workspace.store.list("datasets")]:
        workspace.store.remove(key)

    assert run(["erase-document", DOCUMENT, "--yes"]) == 0

    assert files(workspace.home) == ["jobs/train-0/job.json", "jobs/train-1/job.json"]


def test_a_run_on_other_data_hinders_nobody(workspace: Workspace) -> None:
    assert run(["erase-document", DOCUMENT, "--yes"]) == 0

    with alone(workspace.home, "prepare-toy", stage="prepare") as place, place.emptied():
        assert run(["erase-document", "scans/99.png", "--yes"]) == 0
        assert place.folder.exists()


def test_a_path_that_nothing_is_called_is_told(
    workspace: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["erase-document", DOCUMENT, "scans/8.PNG"]) == 0
    assert "is called scans/8.PNG" in capsys.readouterr().out
    assert run(["erase-document", "", "--yes"]) == 2
    assert "an empty path names no document" in capsys.readouterr().err
    assert workspace.registry.has_version("toy", "v1")


def test_copies_that_were_fetched_by_another_address_of_the_store_go_too(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "store")
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "link"))

    assert run(["erase-document", DOCUMENT, "--yes"]) == 0

    assert files(workspace.home) == ["jobs/train-1/job.json"]

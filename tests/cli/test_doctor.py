"""What `ocrline doctor` says: of this machine, of one on which all is well, of broken ones."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from cli.doctor import examine, print_findings
from cli.main import run
from configs.settings import Settings
from ocr.machine.finding import broken, fine
from tests.built_machine import Parts, build_machine
from tests.cli.broken_machines import CASES, NO_GPU, diagnose
from tests.read_only_disk import read_only_disk

each_case = pytest.mark.parametrize("case", CASES)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("OCRLINE_STORE", raising=False)


@each_case
def test_doctor_says_what_is_broken_and_how_to_mend_it(case: str, tmp_path: Path) -> None:
    _, _, part, words = CASES[case]

    finding = diagnose(tmp_path, case)

    assert finding is not None
    assert finding.part == part
    assert [word for word in words if word not in str(finding)] == []
    assert finding.advice


@pytest.mark.parametrize("visible", [None, "1,0", "GPU-c0de,GPU-5e1a", "0,MIG-77aa", "0,1,-1"])
def test_nothing_is_wrong_with_a_machine_that_has_all(visible: str | None, tmp_path: Path) -> None:
    environment = {"CUDA_VISIBLE_DEVICES": visible} if visible else {}
    machine = build_machine(tmp_path, Parts(environment=environment))

    findings = list(examine(machine, Settings(), gpus=2))

    assert {each.verdict for each in findings} <= {"fine", "absent"}
    assert [each.part for each in findings if each.part.startswith("gpu")] == [
        *("gpu driver", "gpu container", "gpu devices", "gpu paddle", "gpu versions", "gpu in use")
    ]


def test_an_old_driver_with_libraries_for_a_newer_cuda_is_no_alarm(tmp_path: Path) -> None:
    machine = build_machine(tmp_path, Parts(driver="470.57.02", cuda="12.4"))

    findings = {each.part: each for each in examine(machine, Settings(), gpus=1)}

    assert findings["gpu versions"].verdict == "fine"


def test_processes_that_load_batches_for_paddleocr_want_shared_memory(tmp_path: Path) -> None:
    machine = build_machine(tmp_path, Parts(shared=3 * 2**29))

    embedded, theirs = (
        {each.part: each for each in examine(machine, Settings(), gpus=2, needs_paddleocr=needed)}
        for needed in (False, True)
    )

    assert embedded["shared memory"].verdict == "fine"
    assert "8 processes that hand over batches" in theirs["shared memory"].found


def test_gpus_without_nvidia_smi_are_seen_in_dev(tmp_path: Path) -> None:
    machine = build_machine(tmp_path, Parts(driver="", container=True))

    findings = {each.part: each for each in examine(machine, Settings(), gpus=1)}

    assert findings["gpu devices"].found == "2 of 2: 0, 1"
    assert findings["gpu in use"].verdict == "fine"


@pytest.mark.parametrize(
    ("parts", "parts_said"),
    [
        (NO_GPU, ["gpu"]),
        (Parts(paddle_cuda="False"), ["gpu driver", "gpu container", "gpu devices", "gpu paddle"]),
    ],
)
def test_what_nobody_asked_for_is_no_alarm(
    parts: Parts, parts_said: list[str], tmp_path: Path
) -> None:
    machine = build_machine(tmp_path, parts)

    findings = list(examine(machine, Settings(), gpus=0))

    assert {each.verdict for each in findings} <= {"fine", "absent"}
    assert [each.part for each in findings if each.part.startswith("gpu")] == parts_said


def test_a_preset_that_asks_for_gpus_makes_them_needed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    gpus = ["--set", "resources.device=gpu", "--set", "resources.devices=2"]

    code = run(["doctor", "plates", *gpus, "--json"])
    broken_ones = [
        each for each in json.loads(capsys.readouterr().out) if each["verdict"] == "broken"
    ]

    assert code == 2
    assert [each["part"] for each in broken_ones] == ["gpu driver"]


def test_what_a_preset_asks_for_beside_gpus_stands_beside_what_there_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["--set", "resources.cpus=4000", "--set", "resources.memory_gib=60000"]

    code = run(["doctor", "plates", *asked, "--json"])

    findings = json.loads(capsys.readouterr().out)
    risky_ones = [each["found"] for each in findings if each["verdict"] == "risky"]
    assert code == 0
    assert [found.partition("; ")[0].partition(", ")[2] for found in risky_ones] == [
        "resources.cpus: 4000",
        "resources.memory_gib: 60000",
    ]


def test_doctor_names_what_is_missing_and_how_to_get_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("PADDLEOCR_HOME", raising=False)

    code = run(["doctor", "--json"])

    findings = {each["part"]: each for each in json.loads(capsys.readouterr().out)}
    assert code == 0
    assert findings["tesseract"]["verdict"] == "absent"
    assert "apt install tesseract-ocr" in findings["tesseract"]["advice"]
    assert "PADDLEOCR_HOME names no source tree" in findings["paddleocr"]["advice"]
    assert findings["store"]["found"]
    assert findings["decoder"]["found"].startswith("at most 713 MiB")
    for fact in ("no network", "no file but fonts"):
        assert fact in findings["decoder"]["found"]  # held, or named as what the kernel refuses


@pytest.mark.parametrize("preset", ["task: recognition\ntraining", "task: pages\ndetector"])
def test_a_net_of_paddleocr_needs_its_tree(
    preset: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.delenv("PADDLEOCR_HOME", raising=False)
    project = tmp_path / "own.yaml"
    project.write_text(f"extends: _base\n{preset}: {{engine: paddleocr}}\n")

    code = run(["doctor", str(project), "--json"])

    findings = {each["part"]: each for each in json.loads(capsys.readouterr().out)}
    assert code == 2
    assert findings["paddleocr"]["verdict"] == "broken"
    assert "PADDLEOCR_HOME names no source tree" in findings["paddleocr"]["advice"]


@pytest.mark.parametrize(
    ("target", "verdict"), [("paddle-serving", "broken"), ("gateway", "absent")]
)
def test_a_deployment_to_paddle_serving_needs_its_interpreter(
    target: str, verdict: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCRLINE_PADDLE_SERVING_PYTHON", "/none/python")

    run(["doctor", "smoke", "--set", f"deployment.target={target}", "--json"])

    findings = {each["part"]: each for each in json.loads(capsys.readouterr().out)}
    assert findings["paddle-serving"]["verdict"] == verdict
    assert "make serving-runtime" in findings["paddle-serving"]["advice"]


def test_a_home_that_cannot_be_made_is_a_finding_like_any_other(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "file/home"))

    code = run(["doctor", "--json"])

    findings = {each["part"]: each for each in json.loads(capsys.readouterr().out)}
    assert code == 2
    assert findings["store"]["verdict"] == "broken"
    assert "Not a directory" in findings["store"]["found"]
    assert findings["home"]["verdict"] == "broken"
    assert findings["home"]["found"].endswith("file/home is none yet and cannot be made")
    assert "decoder" in findings


def test_a_home_that_may_only_be_read_is_found_whatever_its_mode(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    command = [*read_only_disk(home), sys.executable, "-m", "cli.main", "doctor", "--json"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    findings = {each["part"]: each for each in json.loads(done.stdout)}
    assert done.returncode == 2
    assert findings["home"]["verdict"] == "broken"
    assert findings["home"]["found"] == f"{home} cannot be written (Read-only file system)"
    assert findings["home"]["advice"] == "name another OCRLINE_HOME"


def test_a_home_that_others_may_look_into_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path))
    for mode in (0o755, 0o700):
        tmp_path.chmod(mode)
        run(["doctor", "--json"])

    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = [[each["advice"] for each in one if each["part"] == "home"] for one in told]
    assert found == [[f"chmod 700 {tmp_path}, unless they are meant to"], []]


def test_doctor_prints_paths_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    print_findings([fine("store", "/data/[a1]"), broken("disk", "full", "free [/] :car:")])

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(" /data/[a1]")
    assert lines[2].endswith("→ free [/] :car:")


def test_no_line_of_a_path_passes_for_another_finding(capsys: pytest.CaptureFixture[str]) -> None:
    path = "/data\n ✓ gpu            8 of them"

    print_findings([fine("store", path), broken("disk", path, f"free {path}")])

    said = capsys.readouterr().out.splitlines()
    assert [line for line in said if "gpu" in line] == [" " * 21 + "✓ gpu            8 of them"] * 3

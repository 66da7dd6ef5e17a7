"""What a job in a container needs of docker, by a stub on PATH that answers as docker does."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from ocr.machine.docker import check_docker
from ocr.machine.machine import Machine

WELL = {
    "version": "echo 20.10.24",
    "image": "echo sha256:0123456789abcdef 6f3d13a0000000000000",
    "info": """echo '{"nvidia":{},"runc":{}}'""",
}


def machine(folder: Path, answers: Mapping[str, str]) -> Machine:
    program = folder / "docker"
    cases = "".join(f"{command}) {script};;\n" for command, script in answers.items())
    program.write_text(f'#!/bin/sh\ncase "$1" in\n{cases}esac\n')
    program.chmod(0o755)
    return Machine(environment={"PATH": str(folder)})


def test_a_machine_that_has_all_is_fine(tmp_path: Path) -> None:
    findings = list(check_docker(machine(tmp_path, WELL), image="a:b", gpus=1))

    assert [str(finding) for finding in findings] == [
        "docker: 20.10.24",
        "image: a:b (sha256:0123456789ab, of 6f3d13a00000)",
        "gpu toolkit: docker hands GPUs to containers",
    ]
    assert {finding.verdict for finding in findings} == {"fine"}


OR = "or train without: resources.runtime: process"


@pytest.mark.parametrize(
    ("command", "script", "found", "advice"),
    [
        (
            "version",
            "echo Cannot connect to the Docker daemon >&2; exit 1",
            "docker: its daemon does not answer: Cannot connect to the Docker daemon",
            f"start it (systemctl start docker), or let DOCKER_HOST name it, {OR}",
        ),
        (
            "version",
            "echo permission denied while trying to connect >&2; exit 1",
            "docker: its daemon does not answer: permission denied while trying to connect",
            f"let this user reach the daemon (group docker, which is as good as root), {OR}",
        ),
        (
            "image",
            "echo No such image >&2; exit 1",
            "image: resources.image: there is no a:b on this machine",
            "build it: make image; or docker pull a:b",
        ),
        (
            "info",
            """echo '{"runc":{}}'""",
            "gpu toolkit: docker cannot hand GPUs to containers: it has no runtime nvidia",
            (
                "install nvidia-container-toolkit, then nvidia-ctk runtime configure "
                f"--runtime=docker and systemctl restart docker, {OR}"
            ),
        ),
    ],
)
def test_the_first_thing_that_is_broken_is_the_last_one_said(
    tmp_path: Path, command: str, script: str, found: str, advice: str
) -> None:
    broken = machine(tmp_path, WELL | {command: script})

    findings = list(check_docker(broken, image="a:b", gpus=1))

    assert str(findings[-1]) == f"{found}; {advice}"
    assert [finding.verdict for finding in findings if finding.verdict != "fine"] == ["broken"]


def test_without_docker_it_says_how_to_get_it(tmp_path: Path) -> None:
    (finding,) = check_docker(Machine(environment={"PATH": str(tmp_path)}), image="a:b")

    assert str(finding) == (
        "docker: docker is not on PATH; install it (on Debian: apt install docker.io), or train "
        "without: resources.runtime: process"
    )

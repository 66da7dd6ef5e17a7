"""What runs jobs in containers: docker, its daemon, the image, and what hands GPUs to it."""

from collections.abc import Iterator

from ocr.machine.finding import Finding, broken, fine
from ocr.machine.machine import Machine

OR_PROCESS = "or train without: resources.runtime: process"
COMPLAINTS = {
    "permission denied": "let this user reach the daemon (group docker, which is as good as root)",
    "no answer within": "the daemon hangs: systemctl restart docker",
}
START = "start it (systemctl start docker), or let DOCKER_HOST name it"
TOOLKIT = ("nvidia-container-runtime-hook", "nvidia-ctk")
IMAGE = '{{.Id}} {{index .Config.Labels "org.opencontainers.image.revision"}}'


def check_docker(machine: Machine, *, image: str = "", gpus: int = 0) -> Iterator[Finding]:
    """Look at what a job in a container needs, in order; the first that is broken is the last.

    Args:
        machine: Where it is to run.
        image: What it is to run in; empty: any.
        gpus: How many GPUs it asks for.
    """
    answer = machine.ask("docker", "version", "--format", "{{.Server.Version}}")
    if answer is None:
        advice = f"install it (on Debian: apt install docker.io), {OR_PROCESS}"
        yield broken("docker", "docker is not on PATH", advice)
        return
    if answer.exit_code != 0:
        help_ = [text for words, text in COMPLAINTS.items() if words in answer.errors]
        advice = f"{help_[0] if help_ else START}, {OR_PROCESS}"
        yield broken("docker", f"its daemon does not answer: {answer.said}", advice)
        return
    yield fine("docker", answer.output.strip())
    finding = _find_image(machine, image) if image else None
    if finding is not None:
        yield finding
    if gpus and (finding is None or finding.verdict == "fine"):
        yield _find_toolkit(machine)


def _find_image(machine: Machine, image: str) -> Finding:
    answer = machine.ask("docker", "image", "inspect", "--format", IMAGE, image)
    if answer is None or answer.exit_code != 0:
        return broken(
            "image",
            f"resources.image: there is no {image} on this machine",
            f"build it: make image; or docker pull {image}",
        )
    digest, _, commit = answer.output.strip().partition(" ")
    return fine("image", f"{image} ({digest[:19]}, of {commit[:12] or 'an unknown commit'})")


def _find_toolkit(machine: Machine) -> Finding:
    part = "gpu toolkit"
    answer = machine.ask("docker", "info", "--format", "{{json .Runtimes}}")
    if '"nvidia"' in (answer.output if answer else "") or any(map(machine.find, TOOLKIT)):
        return fine(part, "docker hands GPUs to containers")
    return broken(
        part,
        "docker cannot hand GPUs to containers: it has no runtime nvidia",
        "install nvidia-container-toolkit, then nvidia-ctk runtime configure --runtime=docker and "
        f"systemctl restart docker, {OR_PROCESS}",
    )

"""What stands between a GPU and Paddle, rung by rung; the first that is broken is explained."""

import re
from collections.abc import Iterator

from ocr.machine.failures import recognise
from ocr.machine.finding import Finding, broken, fine
from ocr.machine.machine import Machine
from ocr.machine.nvidia import (
    DRIVER_FLOORS,
    VARIABLE,
    Gpu,
    find_visible,
    list_gpus,
    read_driver,
    read_module,
)
from ocr.machine.packages import find_paddle

ON_PROCESSORS = "or train on processors: resources.device: cpu"
COMPLAINTS = {
    "version mismatch": "the kernel still has the module of an older driver: reboot",
    "communicate with the NVIDIA driver": "the kernel's module is not loaded: sudo modprobe "
    "nvidia; after an update of the kernel install the driver again (dkms status says for which "
    "kernels it was built; Secure Boot wants it signed)",
    "No devices were found": "the driver has no card: lspci | grep -i nvidia, then dmesg | grep -i "
    "nvrm (one that fell off the bus needs a reboot)",
    "Unknown Error": "a container lost its GPUs (systemctl daemon-reload on the host takes them): "
    "start the container again",
    "Insufficient Permissions": "let this user read and write /dev/nvidia* (group video or render)",
    "no answer within": "the driver hangs: dmesg | grep -i xid, then reboot; nvidia-smi -pm 1 if "
    "it only takes long to load",
}
"""What nvidia-smi says when it fails, and what helps."""
COUNT_GPUS = (
    "import paddle; n = paddle.device.cuda.device_count(); "
    "[paddle.ones([8], 'float32').cuda(i).sum().item() for i in range(n)]; print(n)"
)
IMPORT_S = 180


def climb_ladder(machine: Machine, *, devices: int) -> Iterator[Finding]:
    """Look at what a training on GPUs needs, in order; the first broken rung is the last one.

    Args:
        machine: Where it is to run.
        devices: GPUs that are asked for.
    """
    for rung in (_driver, _container, _visible, _paddle, _versions, _use):
        finding = rung(machine, devices)
        yield finding
        if finding.verdict == "broken":
            return


def has_gpu_signs(machine: Machine) -> bool:
    """Say whether anything here wants to be a machine with a GPU."""
    paddle = find_paddle(machine)
    return bool(
        machine.find("nvidia-smi")
        or read_module(machine)
        or machine.has("dev/nvidiactl")
        or (paddle and paddle.cuda)
    )


def _driver(machine: Machine, _devices: int) -> Finding:
    part, module = "gpu driver", read_module(machine)
    answer = machine.ask("nvidia-smi")
    if answer is None and not module:
        said = "no NVIDIA driver: nvidia-smi is not on PATH, and the kernel has no module of it"
        where = " on the container's host, start it with --gpus all" * machine.in_container
        return broken(part, said, f"install NVIDIA's driver{where}, {ON_PROCESSORS}")
    if answer is None and (machine.in_container or machine.has("dev/nvidiactl")):
        return fine(part, f"{module} (the kernel's module; no nvidia-smi here)")
    if answer is None:
        return broken(
            part,
            f"the kernel has the module {module}, but nvidia-smi is not on PATH",
            f"install the tools of this driver (nvidia-utils-{module.partition('.')[0]}), "
            "or put their folder on PATH",
        )
    if answer.exit_code == 0:
        return fine(part, read_driver(machine).version or "answers")
    help_ = [text for words, text in COMPLAINTS.items() if words in answer.output + answer.errors]
    said = f"nvidia-smi fails: {answer.said}"
    return broken(part, said, help_[0] if help_ else f"install the driver again, {ON_PROCESSORS}")


def _container(machine: Machine, _devices: int) -> Finding:
    part = "gpu container"
    if not machine.in_container:
        return fine(part, "not needed: trainings are processes of this machine")
    if machine.has("dev/nvidiactl") or machine.has("dev/dxg") or machine.find("nvidia-smi"):
        return fine(part, "was given GPUs")
    given = machine.environment.get("NVIDIA_VISIBLE_DEVICES")
    return broken(
        part,
        "this container was started without GPUs: it has no /dev/nvidiactl"
        + (f" (NVIDIA_VISIBLE_DEVICES={given})" if given is not None else ""),
        "install nvidia-container-toolkit on the host (nvidia-ctk runtime configure "
        "--runtime=docker), start it with docker run --gpus all; a pod asks for nvidia.com/gpu",
    )


def _visible(machine: Machine, devices: int) -> Finding:
    part, wanted = "gpu devices", machine.environment.get(VARIABLE)
    present = list_gpus(machine)
    visible, unknown = find_visible(present, wanted)
    whole = [gpu for gpu in present if gpu.index]
    names = ", ".join(gpu.index for gpu in whole) or "none"
    if unknown and len(visible) < devices:  # those before it are used: 0,-1 hides all but one
        return broken(
            part,
            f"{VARIABLE}={wanted}: there is no GPU {unknown}, and CUDA looks no further",
            f"name some of {names}, or unset it",
        )
    if len(visible) < devices:
        shown = "not set" if wanted is None else repr(wanted)
        return broken(
            part,
            f"resources.devices: {devices} GPUs are asked for, {len(visible)} are visible "
            f"({VARIABLE}: {shown}; there are: {names})",
            f"lower resources.devices, show more of them, {ON_PROCESSORS}",
        )
    return fine(part, f"{len(visible)} of {len(whole)}: {_name(visible)}")


def _paddle(machine: Machine, _devices: int) -> Finding:
    part, paddle = "gpu paddle", find_paddle(machine)
    if paddle is None:
        return broken(part, "Paddle is not installed", machine.setup)
    if paddle.cuda:
        return fine(part, f"{paddle.version}, built with CUDA {paddle.cuda}")
    major, minor = read_driver(machine).cuda
    newest = f" of at most CUDA {major}.{minor}" * bool(major)
    return broken(
        part,
        f"the Paddle of {machine.python} ({paddle.version}) is built without CUDA",
        f"pip uninstall paddlepaddle, then install paddlepaddle-gpu=={paddle.version} from "
        f"Paddle's own index{newest} (PyPI's ends at 2.6.2), {ON_PROCESSORS}",
    )


def _versions(machine: Machine, _devices: int) -> Finding:
    part, driver, paddle = "gpu versions", read_driver(machine), find_paddle(machine)
    built = int(paddle.cuda.partition(".")[0]) if paddle else 0
    floor = DRIVER_FLOORS.get(built, 0)
    if not driver.version or int(driver.version.partition(".")[0]) >= floor:
        return fine(part, f"driver {driver.version or 'unknown'}, floor {floor}")
    if driver.cuda[0] >= built:
        return fine(part, f"driver {driver.version} with libraries for CUDA {built}")
    return broken(
        part,
        f"driver {driver.version} is too old: Paddle is built with CUDA {built}, "
        f"which needs driver {floor} or newer",
        f"install driver {floor} or newer, or a Paddle built with an older CUDA",
    )


def _use(machine: Machine, devices: int) -> Finding:
    part = "gpu in use"
    answer = machine.ask(machine.python, "-c", COUNT_GPUS, timeout_s=IMPORT_S)
    if answer is None or answer.exit_code != 0:
        known = recognise(answer.errors + answer.output) if answer else None
        if known is not None and not known.passes:
            return broken(part, known.meaning, known.advice)
        said = answer.said if answer else f"no {machine.python}"
        advice = f"python -c 'import paddle; paddle.utils.run_check()' says more; {ON_PROCESSORS}"
        return broken(part, f"Paddle cannot compute on the GPUs: {said}", advice)
    counts = re.findall(r"^\d+$", answer.output, flags=re.MULTILINE)
    seen = int(counts[-1]) if counts else 0
    if seen < devices:
        said = f"Paddle sees {seen} GPUs of the {devices} that are asked for"
        return broken(part, said, f"look at {VARIABLE}, {ON_PROCESSORS}")
    return fine(part, f"Paddle computes on {seen}")


def _name(gpus: list[Gpu]) -> str:
    return ", ".join(gpu.index or gpu.uuid for gpu in gpus)

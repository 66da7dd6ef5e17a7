"""Which kind of machine is enough for a training, and why the others are not or are too much."""

from collections.abc import Sequence
from dataclasses import dataclass

from ocr.machine.planning.needs import Needs

GPU_SHARE = 0.9
"""Of a GPU's memory that may be planned with; the rest is broken into pieces too small to use."""
GIB_MIB = 1024
HOUR_S = 3600


@dataclass(frozen=True)
class Kind:
    """A kind of machine; 0 of memory and time: any."""

    name: str
    devices: int
    memory_gib: float
    shared_memory_gib: float
    gpu_memory_gib: float
    time_limit_h: float


@dataclass(frozen=True)
class Verdict:
    """Whether a kind of machine is enough for what is expected, and why."""

    name: str
    fits: bool
    why: str
    needs: Needs | None


def judge(kind: Kind, needs: Needs, *, devices: int) -> Verdict:
    """Compare what a training needs on a kind of machine, and the devices it asks for, with it."""
    compared = [
        ("GiB of memory", needs.memory_mib / GIB_MIB, kind.memory_gib),
        ("GiB of each GPU", needs.device_memory_mib / GIB_MIB, kind.gpu_memory_gib * GPU_SHARE),
        ("GiB of shared memory", needs.shared_memory_mib / GIB_MIB, kind.shared_memory_gib),
        ("hours", needs.seconds / HOUR_S, kind.time_limit_h),
        ("devices", devices, kind.devices),
    ]
    said = [
        (f"{need:.2g} of {has:.3g} {what}", need > has)
        for what, need, has in compared
        if need and has
    ]
    over = [text for text, is_over in said if is_over]
    if over:
        return Verdict(kind.name, False, f"too small: {', '.join(over)}", needs)
    return Verdict(kind.name, True, f"enough: {', '.join(text for text, _ in said)}", needs)


def choose(verdicts: Sequence[Verdict]) -> tuple[str, str]:
    """Return the first that fits, of kinds from the smallest to the largest, and why; or none."""
    for verdict in verdicts:
        if verdict.fits:
            return verdict.name, f"{verdict.name} is the smallest that is {verdict.why}"
    return "", f"none is enough; {verdicts[-1].name} is {verdicts[-1].why}"


def take_turns(needs: Sequence[Needs]) -> Needs:
    """Return what trainings need at most that run one after another, each within its own limits."""
    unknown = any(not each.seconds for each in needs)
    return Needs(
        memory_mib=max(each.memory_mib for each in needs),
        shared_memory_mib=max(each.shared_memory_mib for each in needs),
        device_memory_mib=max(each.device_memory_mib for each in needs),
        seconds=0.0 if unknown else max(each.seconds for each in needs),
        basis="; ".join(dict.fromkeys(each.basis for each in needs)),
    )


def add_up(needs: Sequence[Needs], *, devices: int, slots: int) -> Needs:
    """Return what trainings need that run at once, each on so many of the slots they share."""
    unknown = any(not each.seconds for each in needs)
    work_s = sum(each.seconds / (1 + each.beside) for each in needs) * devices / slots
    return Needs(
        memory_mib=sum(each.memory_mib for each in needs),
        shared_memory_mib=sum(each.shared_memory_mib for each in needs),
        device_memory_mib=sum(each.device_memory_mib for each in needs),
        seconds=0.0 if unknown else max(work_s, *(each.seconds for each in needs)),
        basis="; ".join(dict.fromkeys(each.basis for each in needs)),
    )

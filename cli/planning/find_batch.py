"""``ocrline find-batch``: how large a batch this machine takes, by trainings of a few steps."""

import signal
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.markup import escape

from cli.options import AsJson, Overrides, Preset, StoreUri, settings_for
from cli.output import ERR, OUT, print_json, print_table
from configs.paddleocr import Training
from configs.presets import ProjectParams, load_params
from configs.retrain import RetrainPagesParams
from configs.training import ResourceParams
from ocr.errors import BadInput
from ocr.machine.planning.batch import Probe, scale_learning_rate

if TYPE_CHECKING:
    from ocr.dataset.preparation import SnapshotRef
    from tasks.measuring.batch import BatchReport

NetName = Literal["detector", "recogniser"]
Net = Annotated[NetName | None, typer.Option(help="Only this net of a project of pages.")]


@dataclass(frozen=True)
class NetBatch:
    """What was found for one net, and what to give to `ocrline retrain`."""

    net: NetName
    report: "BatchReport"
    settings: tuple[str, ...]
    learning_rate: float
    """By the root of how the batch changes; a proposal, in no setting."""


@dataclass(frozen=True)
class Learner:
    """A net to probe: the key of its parameters, these, and what it learns from."""

    net: NetName
    key: str
    training: Training
    dataset: "SnapshotRef"


def find_batch(
    preset: Preset,
    overrides: Overrides = None,
    net: Net = None,
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Double the batch until memory is full or speed stops gaining; keeps none of the trainings."""
    params = load_params(preset, overrides=overrides or [])
    _check_resources(params.resources)
    settings_for(store)
    signal.signal(signal.SIGTERM, _interrupt)
    found = [_find(params, each, quiet=as_json) for each in _learners(params, net)]
    if as_json:
        print_json(found)
    if not all(each.report.choice.batch_size for each in found):
        raise typer.Exit(4)


def _check_resources(resources: ResourceParams) -> None:
    """Refuse what is not measured: memory within a container, and what other machines do."""
    if resources.runtime != "process":
        raise BadInput(
            f"resources.runtime: {resources.runtime} is not measured; find the batch with "
            "--set resources.runtime=process --set resources.image="
        )
    if resources.nodes > 1:
        raise BadInput(
            f"resources.nodes: {resources.nodes} would wait for the other machines; find the batch "
            "of one with --set resources.nodes=1"
        )


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _learners(params: ProjectParams, net: NetName | None) -> Iterator[Learner]:
    """Prepare or find the dataset, and yield the nets that learn from it."""
    from tasks.engine import check_engine

    if isinstance(params, RetrainPagesParams):
        from tasks.prepare_pages import crop_pages, prepare_pages

        check_engine(
            params.resources, {"detector": params.detector, "recogniser": params.recogniser}
        )
        pages = prepare_pages.fn(params.dataset)
        if net != "recogniser":
            yield Learner("detector", "detector", params.detector, pages)
        if net != "detector":
            crops = crop_pages.fn(pages, params.dataset, params.recogniser_name)
            yield Learner("recogniser", "recogniser", params.recogniser, crops)
        return
    if net == "detector":
        raise BadInput(f"--net detector: {params.name} is a project of lines; it has a recogniser")
    from tasks.prepare_lines import prepare_lines

    check_engine(params.resources, {"training": params.training})
    lines = prepare_lines.fn(params.dataset, params.name)
    yield Learner("recogniser", "training", params.training, lines)


def _find(params: ProjectParams, learner: Learner, *, quiet: bool) -> NetBatch:
    from tasks.engine import find_start
    from tasks.measuring.batch import find_batch
    from tasks.train import make_job
    from tasks.workspace import open_workspace

    workspace, net = open_workspace(), learner.net
    training = find_start(learner.training, params.name, net)
    report = find_batch(
        workspace,
        make_job(workspace, learner.dataset, training, params.resources),
        images=learner.dataset.counts["train"],
        on_probe=lambda probe: ERR.print(f"  {net}  {_say(probe)}", soft_wrap=True),
    )
    chosen, before = report.choice.batch_size, training.batch_size
    found = NetBatch(
        net=net,
        report=report,
        settings=_settings(learner, report, gpu=params.resources.device == "gpu"),
        learning_rate=scale_learning_rate(
            training.learning_rate, before=before, after=chosen or before
        ),
    )
    if not quiet:
        _print(found, training)
    return found


def _settings(learner: Learner, report: "BatchReport", *, gpu: bool) -> tuple[str, ...]:
    choice, training = report.choice, learner.training
    settings = [f"{learner.key}.batch_size={choice.batch_size}"] if choice.batch_size else []
    can_mix = training.amp == "off" and training.net != "ppocr-v6-small"
    if gpu and choice.is_at_the_limit and can_mix:
        settings.append(f"{learner.key}.amp=O1")
    return tuple(settings)


def _say(probe: Probe) -> str:
    if not probe.fits:
        return f"batch {probe.batch_size}: does not fit"
    took = f"{probe.images_per_s:.1f} images/s, {probe.peak_memory_mib:.0f} MiB"
    return f"batch {probe.batch_size}: {took}"


def _print(found: NetBatch, training: Training) -> None:
    report, choice = found.report, found.report.choice
    rows = [
        (
            probe.batch_size,
            f"{probe.images_per_s:.1f}" if probe.fits else "does not fit",
            f"{probe.peak_memory_mib:.0f}",
            f"{probe.peak_memory_mib / report.memory_mib:.0%}",
        )
        for probe in report.probes
    ]
    columns = ("batch", "images/s", "peak memory, MiB", f"of {report.memory_mib:.0f} MiB")
    print_table(found.net, columns, rows)
    verdict = f"batch {choice.batch_size}" if choice.batch_size else "none fits"
    OUT.print(f"[bold]{verdict}[/]: {escape(choice.why)}", soft_wrap=True)
    if found.settings:
        said = " ".join(f"--set {setting}" for setting in found.settings)
        OUT.print(f"  {escape(said)}", soft_wrap=True)
    if choice.batch_size not in (0, training.batch_size):
        OUT.print(
            f"  learning rate by the square root of the batch's change (Adam): "
            f"{found.learning_rate:.2g} instead of {training.learning_rate:g}, if you want it",
            soft_wrap=True,
        )
    OUT.print()

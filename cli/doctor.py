"""``ocrline doctor``: what this machine has, and how to get what it lacks."""

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from stat import S_IRWXG, S_IRWXO
from tempfile import TemporaryFile
from typing import Annotated

import typer
from rich.markup import escape

from cli.options import AsJson, Overrides, StoreUri, settings_for
from cli.output import OUT, print_json
from configs.presets import ProjectParams, load_params
from configs.retrain import RetrainPagesParams
from configs.settings import Settings
from deploy.background import ServiceFailed
from ocr.errors import OcrError
from ocr.machine.asked import Asked, check_asked
from ocr.machine.clock import check_clock
from ocr.machine.docker import check_docker
from ocr.machine.finding import Finding, Verdict, absent, broken, fine, risky
from ocr.machine.ladder import climb_ladder, has_gpu_signs
from ocr.machine.limits import check_disk
from ocr.machine.machine import Machine
from ocr.machine.training import check_training
from ocr.processors import count_processors
from ocr.store.protocol import ASKED_TIMEOUT_S
from ocr.store.state import PROBE, write_probe
from training.paddleocr.config import LOADERS_ON_GPU
from training.preflight import name_asked

PADDLE_SERVING = "paddle-serving"
NAME_ANOTHER_HOME = "name another OCRLINE_HOME"
MARKS: dict[Verdict, str] = {
    "fine": "[green]✓[/]",
    "risky": "[yellow]![/]",
    "broken": "[red]✗[/]",
    "absent": "[dim]–[/]",
}

Planned = Annotated[
    str, typer.Argument(help="Preset or YAML file that is to be trained; without: any on CPUs.")
]


def doctor(
    preset: Planned = "",
    overrides: Overrides = None,
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Look for every part that is used; exit 2 when one that is needed is missing."""
    settings = settings_for(store)
    params = load_params(preset, overrides=overrides or []) if preset else None
    gpus, needed = _gpus_of(params), _needs_paddleocr(params)
    image = params.resources.image if params else ""
    asked = name_asked(params.resources) if params else Asked()
    findings = list(
        examine(
            Machine.here(),
            settings,
            gpus=gpus,
            needs_paddleocr=needed,
            needs_paddle_serving=params is not None and params.deployment.target == PADDLE_SERVING,
            image=image,
            asked=asked,
        )
    )
    if as_json:
        print_json(findings)
    else:
        print_findings(findings)
    if any(finding.verdict == "broken" for finding in findings):
        raise typer.Exit(2)


def examine(
    machine: Machine,
    settings: Settings,
    *,
    gpus: int,
    needs_paddleocr: bool = False,
    needs_paddle_serving: bool = False,
    image: str = "",
    asked: Asked = Asked(),  # noqa: B008 - it is frozen
) -> Iterator[Finding]:
    """Look at a machine as a person does before the first run, part by part."""
    yield fine("processors", str(count_processors(machine.root)))
    if image:  # a job looks at its container itself
        yield from check_docker(machine, image=image, gpus=gpus)
        yield check_disk(machine, settings.home)
    else:
        loaders = gpus * LOADERS_ON_GPU * needs_paddleocr
        yield from check_training(machine, gpus=gpus, folder=settings.home, loaders=loaders)
        yield from check_asked(machine, asked)
        yield from map(_as_offer, check_docker(machine))
    if not gpus:
        yield from _offer_gpus(machine)
    if settings.store.startswith("s3://"):
        yield from check_clock(machine, endpoint=settings.s3_endpoint, secure=settings.s3_secure)
    yield from _check_home(settings.home)
    yield _check_store(settings)
    yield _check_decoder()
    yield _check_fonts()
    yield _check_paddleocr(image, needed=needs_paddleocr)
    yield _check_paddle_serving(settings, needed=needs_paddle_serving)
    yield _check_minio()
    yield _check_database(settings)
    yield _check_program(machine, "tesseract", "baseline only: apt install tesseract-ocr")
    yield _check_program(machine, "chromium", "browser tests skip: apt install chromium")


def print_findings(findings: list[Finding]) -> None:
    """Print a line for each, and what to do under those that are not fine."""
    for finding in findings:
        said = _indent(finding.found or finding.advice)
        OUT.print(f" {MARKS[finding.verdict]} {finding.part:<14} {said}", soft_wrap=True)
        if finding.found and finding.advice:
            OUT.print(f"   {'':<14} [dim]→[/] {_indent(finding.advice)}", soft_wrap=True)


def _indent(said: str) -> str:
    """Return what passes for no other finding, whatever lines a name in it has."""
    return escape(said).replace("\n", f"\n{'':<20}")


def _gpus_of(params: ProjectParams | None) -> int:
    if params is None or params.resources.device != "gpu":
        return 0
    return params.resources.devices


def _needs_paddleocr(params: ProjectParams | None) -> bool:
    if params is None:
        return False
    if isinstance(params, RetrainPagesParams):
        return "paddleocr" in (params.detector.engine, params.recogniser.engine)
    return params.training.engine == "paddleocr"


def _offer_gpus(machine: Machine) -> Iterator[Finding]:
    """Say how far the GPUs are that nobody asked for; on most machines there is none."""
    if not has_gpu_signs(machine):
        yield absent("gpu", "none; trainings run on processors")
        return
    yield from map(_as_offer, climb_ladder(machine, devices=1))


def _as_offer(finding: Finding) -> Finding:
    """Return what was found of a part that nothing asks for."""
    return replace(finding, verdict="absent") if finding.verdict == "broken" else finding


def _check_home(home: Path) -> Iterator[Finding]:
    """Say whether a home can be written, and whether others may look into it.

    That of earlier releases may have been made so.
    """
    try:
        if not home.exists():
            if not _may_be_made(str(home)):
                yield broken("home", f"{home} is none yet and cannot be made", NAME_ANOTHER_HOME)
            return
        with TemporaryFile(dir=home):  # no mode says that a disk is only to be read
            mode = home.stat().st_mode
    except OSError as error:
        found = f"{home} cannot be written ({error.strerror})"
        yield broken("home", found, NAME_ANOTHER_HOME)
        return
    if mode & (S_IRWXG | S_IRWXO):
        found = f"{home} is open to other users of this machine, with what documents hold"
        yield risky("home", found, f"chmod 700 {home}, unless they are meant to")


def _check_store(settings: Settings) -> Finding:
    from tasks.workspace import open_workspace

    try:
        store = open_workspace(settings, read_timeout_s=ASKED_TIMEOUT_S).store
        is_empty = not any(store.folders(""))  # or it is another than was meant
        if not store.is_there():
            if not _may_be_made(store.uri):
                advice = "let this user write there, or name another: --store, OCRLINE_STORE"
                return broken("store", f"{settings.store} is none yet and cannot be made", advice)
            found = f"{settings.store}, which is none yet: the first write makes it, if it may"
            return fine("store", found)
    except (OcrError, OSError) as error:
        advice = "start it, or name another: --store, OCRLINE_STORE, MINIO_ENDPOINT and keys"
        return broken("store", f"{settings.store}: {error}", advice)
    try:
        write_probe(store)
    except (OcrError, OSError) as error:
        return risky("store", f"can be read alone: {error}", "enough to serve; not to retrain")
    found = f"{settings.store}{', which holds nothing yet' * is_empty}"
    try:
        store.remove(PROBE)
    except (OcrError, OSError):  # as long as nobody prunes
        found += f"; {PROBE} stays there, for this key may not remove"
    return fine("store", found)


def _may_be_made(uri: str) -> bool:
    """Say whether a folder can be made; only a try would tell it of a bucket."""
    if uri.startswith("s3://"):
        return True
    place = Path(uri.removeprefix("file://"))
    nearest = next(each for each in (place, *place.parents) if each.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def _check_minio() -> Finding:
    from deploy.parts.minio import INSTALL, find_minio

    found = find_minio()
    return (
        fine("minio", found)
        if found
        else absent("minio", f"ocrline up --minio; with Go: {INSTALL}")
    )


def _check_database(settings: Settings) -> Finding:
    from deploy.parts.database import connect_to, find_database, show_address
    from deploy.services import services_folder

    try:
        folder = services_folder(settings)
        connect_to(settings, folder)
    except OSError as error:
        return broken("database", str(error), NAME_ANOTHER_HOME)
    except ServiceFailed as error:
        return broken("database", show_address(find_database(settings, folder)), str(error))
    return fine("database", find_database(settings, folder))


def _check_decoder() -> Finding:
    """Start a process that decodes documents, as the gateway does, and ask what confines it."""
    from ocr.decoding.confinement import NO_FILES, NO_NETWORK
    from ocr.decoding.decoder import Decoder, DecoderFailed, memory_for
    from serving.settings import ServingSettings

    memory_bytes = memory_for(max_pixels=ServingSettings().max_pixels)
    try:
        with closing(Decoder(memory_bytes=memory_bytes)) as decoder:
            facts = decoder.confinement()
    except DecoderFailed as error:
        return broken("decoder", str(error), "the gateway can read no document: make setup")
    missing = [fact for fact in (NO_NETWORK, NO_FILES) if fact not in facts]
    refused = f" (this kernel does not grant: {', '.join(missing)})" if missing else ""
    return fine("decoder", f"{', '.join(facts)}{refused}")


def _check_paddleocr(image: str, *, needed: bool) -> Finding:
    from tasks.engine import find_runtime

    try:
        found = find_runtime(image)
    except OcrError as error:
        if needed:
            return broken("paddleocr", "engine: paddleocr is asked for", str(error))
        return absent("paddleocr", f"engine: paddleocr only: {error}")
    return fine("paddleocr", found.home)


def _check_paddle_serving(settings: Settings, *, needed: bool) -> Finding:
    python = settings.paddle_serving_python
    if python.is_file():
        return fine(PADDLE_SERVING, str(python))
    advice = "none; with a Python 3.9: make serving-runtime; with docker: make serving-image"
    if needed:
        return broken(PADDLE_SERVING, "deployment.target: paddle-serving is asked for", advice)
    return absent(PADDLE_SERVING, advice)


def _check_fonts() -> Finding:
    from ocr.synthesis.fonts import find_chinese_font

    font = find_chinese_font()
    advice = "none: Chinese lines cannot be rendered; on Debian: apt install fonts-wqy-zenhei"
    return fine("chinese font", str(font)) if font else absent("chinese font", advice)


def _check_program(machine: Machine, program: str, advice: str) -> Finding:
    found = machine.find(program)
    return fine(program, found) if found else absent(program, advice)

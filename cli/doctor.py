"""``ocrline doctor``: what this machine has, and how to get what it lacks."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import typer
from rich.markup import escape

from cli.options import AsJson, StoreUri, settings_for
from cli.output import OUT, print_json
from configs.settings import Settings
from ocr.errors import OcrError
from ocr.processors import count_processors

MINIO = "go install github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c"
DISK_FLOOR_GB = 5


@dataclass(frozen=True)
class Check:
    """One thing looked for: what was found, or how to get it."""

    part: str
    needed: bool
    found: str
    advice: str


def doctor(store: StoreUri = "", as_json: AsJson = False) -> None:
    """Look for every part that is used; exit 2 when one that is needed is missing."""
    settings = settings_for(store)
    checks = list(_check_all(settings))
    if as_json:
        print_json(checks)
    else:
        for check in checks:
            mark = "[green]✓[/]" if check.found else "[red]✗[/]" if check.needed else "[yellow]–[/]"
            OUT.print(f" {mark} {check.part:<16} {escape(check.found or check.advice)}")
    if any(check.needed and not check.found for check in checks):
        raise typer.Exit(2)


def _check_all(settings: Settings) -> Iterator[Check]:
    yield _check_cores()
    yield _check_disk(settings)
    yield _check_store(settings)
    yield _check_decoder()
    yield _check_gpu()
    yield _check_fonts()
    yield _check_program("minio", "minio", f"the store's tests skip MinIO; with Go: {MINIO}")
    yield _check_program("tesseract", "tesseract", "baseline only: apt install tesseract-ocr")
    yield _check_program("chromium", "chromium", "browser tests skip: apt install chromium")


def _check_store(settings: Settings) -> Check:
    from tasks.workspace import open_workspace

    try:
        open_workspace(settings).store.exists("doctor.json")
    except OcrError as error:
        return Check("store", True, "", f"{settings.store}: {error}")
    return Check("store", True, settings.store, "")


def _check_disk(settings: Settings) -> Check:
    existing = next(p for p in (settings.home, *settings.home.parents) if p.exists())
    free_gb = shutil.disk_usage(existing).free / 1e9
    advice = f"only {free_gb:.1f} GB free under {existing}; free some, or set OCRLINE_HOME"
    return Check("disk", True, f"{free_gb:.0f} GB free" if free_gb > DISK_FLOOR_GB else "", advice)


def _check_cores() -> Check:
    return Check("processors", True, str(count_processors()), "")


def _check_decoder() -> Check:
    """Start a process that decodes documents, as the gateway does, and ask what confines it."""
    from serving.decoding.confinement import NO_FILES, NO_NETWORK
    from serving.decoding.decoder import Decoder, DecoderFailed
    from serving.decoding.decoders import memory_for
    from serving.settings import ServingSettings

    memory_bytes = memory_for(max_pixels=ServingSettings().max_pixels)
    try:
        with closing(Decoder(memory_bytes=memory_bytes)) as decoder:
            facts = decoder.confinement()
    except DecoderFailed as error:
        return Check("decoder", True, "", f"{error}; the gateway can read no document")
    missing = [fact for fact in (NO_NETWORK, NO_FILES) if fact not in facts]
    refused = f" (this kernel does not grant: {', '.join(missing)})" if missing else ""
    return Check("decoder", True, f"{', '.join(facts)}{refused}", "")


def _check_gpu() -> Check:
    advice = "none: trainings run on the processor; one needs NVIDIA's driver and Paddle with CUDA"
    try:
        run = subprocess.run(
            ["nvidia-smi", "-L"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return Check("gpu", False, "", advice)
    found = run.stdout.strip() if run.returncode == 0 else ""
    return Check("gpu", False, found.partition("\n")[0], advice)


def _check_fonts() -> Check:
    from ocr.synthesis.fonts import find_chinese_font

    font = find_chinese_font()
    advice = "none: Chinese lines cannot be rendered; on Debian: apt install fonts-wqy-zenhei"
    return Check("chinese font", False, str(font or ""), advice)


def _check_program(part: str, program: str, advice: str) -> Check:
    return Check(part, False, shutil.which(program) or "", advice)

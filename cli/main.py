"""The ocrline command: ``ocrline --help``."""

import os
import sys
import time
import traceback
from collections.abc import Sequence
from typing import Annotated

import psutil
import typer
from pydantic import ValidationError

from cli import (
    annotate,
    convert,
    doctor,
    evaluate,
    predict,
    prepare,
    recognise_batch,
    retrain,
)
from cli.keeping import backup, erase_document, find_document, prune, restore
from cli.models import app as models
from cli.operating import deployments
from cli.output import refuse
from cli.people import approvals, notifications
from cli.planning import find_batch, templates
from cli.serving import keys, serve
from cli.stack import down, status, up
from configs.presets import ConfigError, describe
from configs.settings import Settings, SettingsError, tell_of_home
from deploy.background import ServiceFailed
from deploy.parts.release import name_release
from ocr.errors import OcrError
from ocr.machine.failures import is_of_memory

UNAVAILABLE = 5
INTERRUPTED = 130
BUG = 70  # EX_SOFTWARE of sysexits.h

app = typer.Typer(
    help="Retrain OCR models and serve the best: dataset, training, evaluation, gate, gateway.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(name_release())
        raise typer.Exit


@app.callback()
def _take_options(
    _: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the release, its code and where that lies.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass


app.command(epilog="Example: ocrline retrain demo --set recogniser.epochs=8")(retrain.retrain)
app.command(epilog="Example: ocrline prepare receipts --set dataset.root=data/receipts")(
    prepare.prepare
)
app.command(epilog="Example: ocrline convert receipts.yaml out --to labelstudio")(convert.convert)
app.command(epilog="Example: ocrline suspects receipts.yaml out --to ppocrlabel")(convert.suspects)
app.command(
    epilog="Example: ocrline evaluate --model receipts@champion --labels det_test.txt --json"
)(evaluate.evaluate)
app.command(epilog="Example: ocrline predict page.jpg --annotate seen.png")(predict.predict)
app.command(epilog="Example: ocrline recognise-batch scans --name march --model receipts")(
    recognise_batch.recognise_batch
)
app.command(epilog="Example: ocrline annotate scans --to ppocrlabel --budget 50")(annotate.annotate)
app.add_typer(models.app, name="models")
app.add_typer(deployments.app, name="deployments")
app.command(epilog="Example: ocrline approvals --json")(approvals.approvals)
app.command(epilog="Example: ocrline approve plates --by 'Li Wei' --reason 'reads 8 at last'")(
    approvals.approve
)
app.command(epilog="Example: ocrline reject plates --by 'Li Wei' --reason 'loses short plates'")(
    approvals.reject
)
app.add_typer(notifications.app, name="notifications")
app.add_typer(templates.app, name="templates")
app.add_typer(keys.app, name="keys")
app.command(epilog="Example: ocrline serve --port 8868")(serve.serve)
app.command(epilog="Example: ocrline prune --older-than 90 --yes")(prune.prune)
app.command(epilog="Example: ocrline find-document 'invoices/2026-03/*' scans/0417.jpg")(
    find_document.find_document
)
app.command(epilog="Example: ocrline erase-document scans/0417.jpg --yes")(
    erase_document.erase_document
)
app.command(epilog="Example: ocrline backup /backups/ocrline-monday.tar.zst")(backup.backup)
app.command(epilog="Example: ocrline restore /backups/ocrline-monday.tar.zst")(restore.restore)
app.command(epilog="Example: ocrline up --minio")(up.up)
app.command(epilog="Example: ocrline status --json")(status.status)
app.command(epilog="Example: ocrline down")(down.down)
app.command(epilog="Example: ocrline doctor plates --set resources.device=gpu")(doctor.doctor)
app.command(epilog="Example: ocrline find-batch plates --set dataset.root=data/plates")(
    find_batch.find_batch
)


def main() -> None:
    """Run the command of the terminal's arguments and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command; an error is one line and an exit code, never a traceback.

    Exit code 1 means that the gate did not accept, or that `deployments diff` found something.
    """
    try:
        code = int(app(arguments, prog_name="ocrline", standalone_mode=False) or 0)
    except typer.TyperException as error:
        return _refuse_usage(error, arguments)
    except Exception as error:  # noqa: BLE001 - the edge of the process
        return _explain(error)
    if code == INTERRUPTED:  # typer's word for a KeyboardInterrupt
        return refuse("stopped; the same command does what is left", INTERRUPTED)
    return code


def _refuse_usage(error: typer.TyperException, arguments: Sequence[str]) -> int:
    said = error.format_message().rstrip(".")
    if not said:  # a bare command: its help is printed already
        return 2
    met = getattr(error, "ctx", None)  # of what was parsed so far
    command = met.command_path if met else f"ocrline {' '.join(arguments[:1])}"
    return refuse(f"{said}; see {command} --help", 2)


def _explain(error: Exception) -> int:
    import httpx  # a tenth of a second, which only errors pay

    match error:
        case ConfigError() | SettingsError():
            return refuse(str(error), 2)
        case ValidationError():
            return refuse("\n".join(describe(each) for each in error.errors()), 2)
        case OcrError() if error.exit_code != retrain.NOT_ACCEPTED:
            return refuse(str(error), error.exit_code)
        case ServiceFailed():
            return refuse(str(error), UNAVAILABLE)
        case OSError() if said := tell_of_home(error):
            return refuse(said, UNAVAILABLE)
        case OSError() | psutil.Error() | httpx.HTTPError():  # a lock's timeout is an OSError
            return refuse(_say_in_one_line(error), UNAVAILABLE)
    said = _say_in_one_line(error)
    if is_of_memory(said):  # libraries have errors of their own for it
        what = f" ({' '.join(str(error).split())})" if str(error) else ""
        return refuse(f"no memory left{what}; free some and run it again", UNAVAILABLE)
    return refuse(f"{said}; {_keep_trace(error)}", BUG)


def _say_in_one_line(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _keep_trace(error: Exception) -> str:
    try:
        home = Settings().home
        path = home / "traces" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(traceback.format_exception(error)), encoding="utf-8")
    except (OSError, SettingsError) as failure:
        return f"its trace could not be kept: {failure}"
    return f"its trace is in {path}"


if __name__ == "__main__":
    main()

"""The ocrline command: ``ocrline --help``."""

import sys
from collections.abc import Sequence

import typer
from pydantic import ValidationError
from rich.markup import escape

from cli import doctor, evaluate, models, predict, prepare, retrain, serve
from cli.output import ERR
from configs.presets import ConfigError, describe
from deploy.background import ServiceFailed
from ocr.errors import OcrError

app = typer.Typer(
    help="A production line for OCR models: dataset, training, export, evaluation, gate, serving.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command(epilog="Example: ocrline retrain demo --set training.epochs=8")(retrain.retrain)
app.command(epilog="Example: ocrline prepare plates --set dataset.root=data/plates")(
    prepare.prepare
)
app.command(epilog="Example: ocrline evaluate --model plates@champion --labels rec_test.txt")(
    evaluate.evaluate
)
app.command(epilog="Example: ocrline predict crop.jpg --model plates")(predict.predict)
app.add_typer(models.app, name="models")
app.command(epilog="Example: ocrline serve --port 8868")(serve.serve)
app.command(epilog="Example: ocrline stop")(serve.stop)
app.command(epilog="Example: ocrline doctor --json")(doctor.doctor)


def main() -> None:
    """Run the command of the terminal's arguments and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command; an error of ours is one line and an exit code, never a traceback."""
    try:
        return int(app(arguments, standalone_mode=False) or 0)
    except typer.Exit as leave:
        return leave.exit_code
    except typer.TyperException as error:
        return _refuse(f"{error}; see ocrline {' '.join(arguments[:1])} --help", 2)
    except (ConfigError, ValidationError) as error:
        return _refuse(_say_config(error), 2)
    except OcrError as error:
        return _refuse(str(error), error.exit_code)
    except ServiceFailed as error:
        return _refuse(str(error), 5)
    except (typer.Abort, KeyboardInterrupt):
        return _refuse("stopped; the same command continues where it was", 130)


def _say_config(error: ConfigError | ValidationError) -> str:
    if isinstance(error, ConfigError):
        return str(error)
    return "\n".join(describe(item) for item in error.errors())


def _refuse(message: str, code: int) -> int:
    ERR.print(f"[bold red]error:[/] {escape(message)}", soft_wrap=True)
    return code


if __name__ == "__main__":
    main()

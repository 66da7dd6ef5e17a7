"""``ocrline retrain``: the whole line."""

import os
from typing import Annotated

import typer

from cli.output import ERR, AsJson, StoreUri, print_json
from configs.presets import load_params
from configs.retrain import RetrainParams
from configs.settings import Settings, read_settings

NOT_ACCEPTED = 1

Preset = Annotated[str, typer.Argument(help="Preset (demo, plates, smoke) or YAML file.")]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", help="Override one parameter: key.path=value; repeatable."),
]


def retrain(
    preset: Preset, overrides: Overrides = None, store: StoreUri = "", as_json: AsJson = False
) -> None:
    """Run the whole line; exit 1 when the gate does not accept the candidate."""
    params = load_params(preset, overrides=overrides or [])
    settings = settings_for(store)
    start_services(settings, params)
    # Prefect reads its environment when it is imported.
    from flows.retrain import retrain as retrain_flow

    judgement = retrain_flow(params)
    colour = "green" if judgement.accepted else "yellow"
    ERR.print(f"\n[bold {colour}]{judgement.verdict}[/] {params.name}: {judgement.reasons[0]}")
    ERR.print(f"   report  {judgement.report}")
    if as_json:
        print_json(judgement)
    if not judgement.accepted:
        raise typer.Exit(NOT_ACCEPTED)


def settings_for(store: str) -> Settings:
    """Read the settings with ``--store`` on top, and hand them down to every process."""
    if store:
        os.environ["OCRLINE_STORE"] = store
    settings = read_settings()
    os.environ["OCRLINE_HOME"] = str(settings.home)
    os.environ["OCRLINE_STORE"] = settings.store
    return settings


def start_services(settings: Settings, params: RetrainParams) -> None:
    """Start or reuse what the run needs on this machine, and say where it is."""
    from deploy.services import ensure_gateway, ensure_prefect

    # The terminal hears the stages themselves; Prefect's own lines go to its log.
    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    with ERR.status("starting the local services"):
        server = ensure_prefect(settings)
        if params.deployment.target == "gateway":
            ensure_gateway(settings, params.deployment.endpoint)
    if server is not None:
        ERR.print(f"  Prefect  {server.ui_url}  (login: {server.password_file})")
    if params.deployment.target == "gateway":
        ERR.print(f"  gateway  {params.deployment.endpoint}")

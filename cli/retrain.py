"""``ocrline retrain``: all stages of a project, or those up to one."""

import os
from typing import TYPE_CHECKING, Any

import typer
from rich.markup import escape

from cli.options import AsJson, Overrides, Preset, StoreUri, Until, settings_for
from cli.output import ERR, keep_prefect_silent, print_json, tell
from configs.deployment import DeploymentParams
from configs.presets import ProjectParams, load_project
from configs.retrain import RetrainPagesParams
from configs.settings import Settings
from flows.stages import Stage
from tasks.gateway_address import engine_of, find_endpoint, may_have_token

if TYPE_CHECKING:
    from tasks.references import JudgementRef

NOT_ACCEPTED = 1


def retrain(
    preset: Preset,
    overrides: Overrides = None,
    until: Until = "deploy",
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Run a project's stages; exit 1 when the gate does not accept the candidate."""
    project = load_project(preset, overrides=overrides or [])
    params = project.params
    settings, deployment = settings_for(store), params.deployment
    # Now: another run may tell this home of another gateway before this one comes to deploy.
    endpoint = find_endpoint(deployment, settings.home)
    _start_services(settings, deployment, endpoint, with_gateway=until == "deploy")
    there = deployment.model_copy(update={"endpoint": endpoint})
    params = params.model_copy(update={"deployment": there})
    # Of this run alone: the services, which others use, were started before.
    os.environ["OCRLINE_WHEN_BUSY"] = project.operation.when_busy
    result = _run_flow(params, until)
    if as_json:
        print_json(result)
    if until in ("judge", "deploy"):
        _leave(params.name, result)


def _run_flow(params: ProjectParams, until: Stage) -> Any:
    # Prefect reads its environment when it is imported.
    from tasks.run.narration import log_refusals_plainly

    log_refusals_plainly()
    if isinstance(params, RetrainPagesParams):
        from flows.retrain_pages import retrain_pages

        return retrain_pages(params, until)
    from flows.retrain_lines import retrain_lines

    return retrain_lines(params, until)


def _leave(name: str, judgement: "JudgementRef") -> None:
    colour = "green" if judgement.accepted else "yellow"
    said = escape(judgement.reasons[0])
    ERR.print(f"\n[bold {colour}]{judgement.verdict}[/] {escape(name)}: {said}", soft_wrap=True)
    ERR.print(f"   report  {escape(judgement.report)}", soft_wrap=True)
    if not judgement.accepted:
        raise typer.Exit(NOT_ACCEPTED)


def _start_services(
    settings: Settings, deployment: DeploymentParams, endpoint: str, *, with_gateway: bool
) -> None:
    """Start or reuse what the run needs on this machine, and say where it is."""
    from cli.stack.shown import warn_of_left
    from deploy.services import (
        ensure_gateway,
        ensure_prefect,
        ensure_store,
        remember_endpoint,
        remembered_endpoint,
    )

    engine = engine_of(deployment)
    deploys = deployment.target != "none"
    needs_gateway = with_gateway and deploys
    keep_prefect_silent()
    with ERR.status("starting the local services"):
        # Before Prefect's, whose worker starts it for the UI.
        is_new = deployment.endpoint or not remembered_endpoint(settings)
        if deploys and is_new and may_have_token(endpoint, settings):
            remember_endpoint(settings, endpoint, engine=engine)
        ensure_store(settings)
        server = ensure_prefect(settings)
        if needs_gateway:
            ensure_gateway(settings, endpoint, engine=engine)
    if server is not None:
        said = escape(f"{server.ui_url}  (login: {server.password_file})")
        ERR.print(f"  Prefect  {said}", soft_wrap=True)
        if server.warning:
            tell("[yellow]warning:[/]", server.warning)
    warn_of_left(settings, gateway=endpoint if needs_gateway else "")
    if needs_gateway:
        ERR.print(f"  gateway  {escape(endpoint)}", soft_wrap=True)

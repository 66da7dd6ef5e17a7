"""Put an accepted candidate online, prove that it answers as exported, or take it back."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from prefect import task

from configs.deployment import DeploymentParams
from configs.operation.promote import PromoteParams
from configs.operation.rollback import RollbackParams
from configs.settings import Settings
from ocr.errors import AliasMoved, BadInput, StoreUnavailable
from ocr.machine.owner import find_owners
from ocr.models.alias import MOST_REASON, AliasState
from ocr.models.bundle import read_task
from ocr.models.registry import Registry
from tasks.gateway_address import LOOPBACK, find_endpoint, token_for
from tasks.gateway_client import GatewayClient, GatewayUnavailable
from tasks.judging.rolled_back import was_rolled_back
from tasks.notifying.notify import name_mover
from tasks.notifying.occasions import tell_move
from tasks.references import EvaluationRef, JudgementRef
from tasks.run.narration import narrate
from tasks.workspace import Workspace, open_workspace


def check_gateway(name: str, deployment: DeploymentParams) -> None:
    """Look whether a model could go online as it is meant to, before hours are spent on one.

    A gateway that does not answer now is asked again at the deployment.

    Raises:
        OcrError: It could not; says why, and what helps.
    """
    if deployment.target == "none":
        return
    with _open_gateway(deployment) as gateway:
        if not gateway.check_takes(name):
            narrate(
                "deploy", f"{gateway.endpoint} does not answer now; it is asked again at the end"
            )


@task(name="deploy")
def deploy_model(
    evaluation: EvaluationRef, judgement: JudgementRef, deployment: DeploymentParams
) -> None:
    """Promote, wait for the endpoint, compare its golden answers; take back what is unproven.

    Nothing is promoted while the gateway does not answer. A champion that this run did not promote
    stays, whatever its proof says.
    """
    workspace = open_workspace()
    model = evaluation.model

    def promote() -> AliasState:
        if was_rolled_back(workspace, model):
            raise AliasMoved(
                f"Somebody took {model.reference} back since it was judged; it stays offline: "
                f"`ocrline models promote {model.name} {model.version}` puts it online after all"
            )
        return _promote(_registry(workspace), evaluation, judgement)

    state = _put_online(workspace, model.name, model.version, deployment, promote)
    tell_move(state, judgement, evaluation=evaluation.key)


@task(name="promote-version")
def promote_version(params: PromoteParams) -> AliasState:
    """Make a version the champion by hand; prove that it answers as exported, or take it back."""
    workspace = open_workspace()
    registry = _registry(workspace)
    model = registry.resolve(f"{params.name}:{params.version}")
    seen = registry.champion(model.name)

    def promote() -> AliasState:
        state = registry.promote(
            model.name,
            model.version,
            reason=params.reason,
            expected=seen.version if seen else None,
        )
        narrate("deploy", f"champion is {model.reference}")
        return state

    state = _put_online(workspace, model.name, model.version, params.deployment, promote)
    tell_move(state)
    return state


@task(name="rollback-champion")
def rollback_champion(params: RollbackParams) -> AliasState:
    """Bring back the champion before this one; prove that it answers, or leave all as it was."""
    workspace = open_workspace()
    registry = _registry(workspace)
    seen = registry.champion(params.name)
    if not registry.versions(params.name):
        registry.resolve(params.name)  # which says what there is instead
    if seen is None or seen.previous is None:
        raise BadInput(f"{params.name!r} has no earlier champion to go back to")
    back_to = seen.previous

    def rollback() -> AliasState:
        state = registry.rollback(params.name, reason=params.reason, expected=seen.version)
        narrate("deploy", f"champion is {params.name}:{back_to} again, after {seen.version}")
        return state

    state = _put_online(workspace, params.name, back_to, params.deployment, rollback)
    tell_move(state)
    return state


def _registry(workspace: Workspace) -> Registry:
    """Open the registry; moves name the run, whose parameters Prefect keeps."""
    return Registry(workspace.store, by=name_mover())


def _put_online(
    workspace: Workspace,
    name: str,
    version: str,
    deployment: DeploymentParams,
    move: Callable[[], AliasState],
) -> AliasState:
    """Move the alias once the gateway answers, and prove what it serves, or take the move back."""
    if deployment.target == "none":
        return move()
    registry = _registry(workspace)
    bundle = workspace.fetch_bundle(registry.version(name, version))
    with _open_gateway(deployment) as gateway:
        gateway.wait_until_up(timeout_s=deployment.timeout_s)
        state = move()
        try:
            said = _prove(gateway, name, version, bundle, deployment)
        except BaseException as error:  # an interrupted proof is none either
            _take_back(registry, state, error)
            raise
    narrate("deploy", f"{gateway.endpoint} reads {said} as exported")
    return state


def _open_gateway(deployment: DeploymentParams) -> GatewayClient:
    """Return the gateway that a deployment is for, if it may be asked."""
    settings = Settings()
    endpoint = find_endpoint(deployment, settings.home)
    _refuse_other_store(endpoint, settings)
    return GatewayClient(endpoint, token=token_for(endpoint, settings))


def _refuse_other_store(endpoint: str, settings: Settings) -> None:
    """Refuse a gateway of this user that follows another store, and say whose it is.

    Of one of another user, or on another machine, nothing is known.
    """
    if urlsplit(endpoint).hostname not in LOOPBACK:
        return
    for owner in find_owners(endpoint):
        if not owner.has_store(settings.store, s3_endpoint=settings.s3_endpoint):
            raise GatewayUnavailable(
                f"{endpoint} is a gateway of another store, {owner}; the store of this run is "
                f"{settings.store}. The champion stays: name the gateway of this home in "
                "deployment.endpoint, or start it with `ocrline up --endpoint http://127.0.0.1:PORT`"
            )


def _promote(registry: Registry, evaluation: EvaluationRef, judgement: JudgementRef) -> AliasState:
    model, answer = evaluation.model, judgement.answer
    state = registry.promote(
        model.name,
        model.version,
        reason=judgement.reasons[0],
        evaluation=evaluation.key,
        judged_by=evaluation.judged_by,
        approval=(answer.by, answer.reason) if answer else ("", ""),
        expected=evaluation.champion,
    )
    narrate("deploy", f"champion is {model.reference}")
    return state


def _prove(
    gateway: GatewayClient, name: str, version: str, bundle: Path, deployment: DeploymentParams
) -> str:
    """Return in words what the gateway reads as promised."""
    gateway.wait_for(name, version, timeout_s=deployment.timeout_s)
    if deployment.target == "paddle-serving":
        gateway.check_engine(name, engine=deployment.target)
    if read_task(bundle) == "pipeline":
        n = gateway.check_golden_pages(bundle, name=name, version=version)
        return f"{n} of {n} golden pages"
    n = gateway.check_golden_lines(bundle, name=name, version=version)
    return f"{n} of {n} golden images"


def _take_back(registry: Registry, state: AliasState, error: BaseException) -> None:
    """Undo the promotion of this run; one that was there before, or that moved since, stays."""
    reference, reason = f"{state.name}:{state.version}", str(error) or type(error).__name__
    if not state.has_moved:
        narrate(
            "deploy",
            f"{reference} is not proven, but was champion before this run and stays; "
            f"to take it back: ocrline models rollback {state.name}",
        )
        return
    try:
        before = _undo(registry, state, reason=f"deployment failed: {reason}").version
    except AliasMoved:
        narrate("deploy", f"{reference} is not proven; somebody moved the champion since: it stays")
        return
    except StoreUnavailable as hindrance:
        narrate("deploy", f"{reference} is not proven, and was not taken back: {hindrance}")
        return
    back = f"back to {state.name}:{before}" if before else f"{state.name} has no champion again"
    narrate("deploy", f"{back}: {reason}")


def _undo(registry: Registry, state: AliasState, *, reason: str) -> AliasState:
    last, reason = state.history[-1], reason[:MOST_REASON]
    if last.action == "rollback" and last.previous:  # what was taken back is champion anew
        return registry.promote(state.name, last.previous, reason=reason, expected=last.version)
    return registry.undo(state, reason=reason)

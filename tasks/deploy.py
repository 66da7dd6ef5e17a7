"""Put an accepted candidate online, prove that it answers as exported, or take it back."""

from pathlib import Path

from prefect import task

from configs.deployment import DeploymentParams
from configs.settings import Settings
from ocr.errors import AliasMoved, StoreUnavailable
from ocr.models.alias import AliasState
from ocr.models.bundle import read_task
from ocr.models.registry import Registry
from tasks.gateway_client import GatewayClient
from tasks.references import EvaluationRef, JudgementRef, ModelRef
from tasks.run.narration import narrate
from tasks.workspace import open_workspace


@task(name="deploy")
def deploy_model(
    evaluation: EvaluationRef, judgement: JudgementRef, deployment: DeploymentParams
) -> None:
    """Promote, wait for the endpoint, compare its golden answers; take back what is unproven.

    Nothing is promoted while the gateway does not answer. A champion that this run did not promote
    stays, whatever its proof says.
    """
    workspace = open_workspace()
    registry, model = workspace.registry, evaluation.model
    if deployment.target == "none":
        _promote(registry, evaluation, judgement)
        return
    bundle = workspace.fetch_bundle(registry.version(model.name, model.version))
    with GatewayClient(deployment.endpoint, token=Settings().token) as gateway:
        gateway.wait_until_up(timeout_s=deployment.timeout_s)
        state = _promote(registry, evaluation, judgement)
        try:
            said = _prove(gateway, model, bundle, deployment)
        except BaseException as error:  # an interrupted proof is none either
            _take_back(registry, state, error)
            raise
    narrate("deploy", f"{deployment.endpoint} reads {said} as exported")


def _promote(registry: Registry, evaluation: EvaluationRef, judgement: JudgementRef) -> AliasState:
    model = evaluation.model
    state = registry.promote(
        model.name,
        model.version,
        reason=judgement.reasons[0],
        evaluation=evaluation.key,
        judged_by=evaluation.judged_by,
        expected=evaluation.champion,
    )
    narrate("deploy", f"champion is {model.reference}")
    return state


def _prove(
    gateway: GatewayClient, model: ModelRef, bundle: Path, deployment: DeploymentParams
) -> str:
    """Return in words what the gateway reads as promised."""
    gateway.wait_for(model.name, model.version, timeout_s=deployment.timeout_s)
    if deployment.target == "paddle-serving":
        gateway.check_engine(model.name, engine=deployment.target)
    if read_task(bundle) == "pipeline":
        n = gateway.check_golden_pages(bundle, name=model.name, version=model.version)
        return f"{n} of {n} golden pages"
    n = gateway.check_golden_lines(bundle, name=model.name, version=model.version)
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
        before = registry.undo(state, reason=f"deployment failed: {reason}").version
    except AliasMoved:
        narrate("deploy", f"{reference} is not proven; somebody moved the champion since: it stays")
        return
    except StoreUnavailable as hindrance:
        narrate("deploy", f"{reference} is not proven, and was not taken back: {hindrance}")
        return
    back = f"back to {state.name}:{before}" if before else f"{state.name} has no champion again"
    narrate("deploy", f"{back}: {reason}")

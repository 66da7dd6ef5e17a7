"""Put an accepted candidate online, prove that it answers as exported, or take it back."""

from prefect import task

from configs.deployment import DeploymentParams
from configs.settings import read_settings
from ocr.errors import OcrError
from ocr.gateway_client import GatewayClient
from tasks.narration import narrate
from tasks.references import DEPLOYMENT_FAILED, EvaluationRef, JudgementRef
from tasks.workspace import Workspace, open_workspace


@task(name="deploy")
def deploy_model(
    evaluation: EvaluationRef, judgement: JudgementRef, deployment: DeploymentParams
) -> None:
    """Promote, wait for the endpoint, compare its golden answers; roll back if they differ."""
    workspace = open_workspace()
    registry = workspace.registry
    model = evaluation.model
    before = registry.champion(model.name)
    state = registry.promote(
        model.name,
        model.version,
        reason=judgement.reasons[0],
        evaluation=evaluation.key,
        expected=evaluation.champion,
    )
    is_new = before is None or before.version != state.version
    narrate("deploy", f"champion is {model.name}:{model.version}")
    if deployment.target == "none":
        return
    try:
        _prove(workspace, evaluation, deployment)
    except OcrError as error:
        if is_new and state.previous:
            registry.rollback(
                model.name, reason=f"{DEPLOYMENT_FAILED}: {error}", expected=model.version
            )
            narrate("deploy", f"rolled back to {model.name}:{state.previous}: {error}")
        raise


def _prove(workspace: Workspace, evaluation: EvaluationRef, deployment: DeploymentParams) -> None:
    model = evaluation.model
    bundle = workspace.fetch_bundle(workspace.registry.version(model.name, model.version))
    with GatewayClient(deployment.endpoint, token=read_settings().token) as gateway:
        gateway.wait_for(model.name, model.version, timeout_s=deployment.timeout_s)
        n = gateway.check_golden(bundle, name=model.name, version=model.version)
    narrate("deploy", f"{deployment.endpoint} reads {n} of {n} golden images as exported")

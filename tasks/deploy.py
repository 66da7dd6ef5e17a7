"""Put an accepted candidate online, prove that it answers as exported, or take it back."""

from prefect import task

from configs.deployment import DeploymentParams
from configs.settings import Settings
from ocr.errors import OcrError
from ocr.models.bundle import read_task
from tasks.gateway_client import GatewayClient
from tasks.references import EvaluationRef, JudgementRef
from tasks.run.narration import narrate
from tasks.workspace import Workspace, open_workspace


@task(name="deploy")
def deploy_model(
    evaluation: EvaluationRef, judgement: JudgementRef, deployment: DeploymentParams
) -> None:
    """Promote, wait for the endpoint, compare its golden answers; roll back if they differ."""
    workspace = open_workspace()
    registry = workspace.registry
    model = evaluation.model
    state = registry.promote(
        model.name,
        model.version,
        reason=judgement.reasons[0],
        evaluation=evaluation.key,
        expected=evaluation.champion,
    )
    narrate("deploy", f"champion is {model.name}:{model.version}")
    if deployment.target == "none":
        return
    # Killed before the proof, the next run must know that there was none.
    proof = f"deployments/{model.name}/{model.version}.json"
    try:
        _prove(workspace, evaluation, deployment)
    except OcrError as error:
        if state.previous and not workspace.store.exists(proof):
            registry.rollback(
                model.name,
                reason=f"deployment failed: {error}",
                expected=model.version,
                action="undo",
            )
            narrate("deploy", f"back to {model.name}:{state.previous}: {error}")
        raise
    workspace.store.put_bytes(proof, b"{}")


def _prove(workspace: Workspace, evaluation: EvaluationRef, deployment: DeploymentParams) -> None:
    model = evaluation.model
    bundle = workspace.fetch_bundle(workspace.registry.version(model.name, model.version))
    with GatewayClient(deployment.endpoint, token=Settings().token) as gateway:
        gateway.wait_for(model.name, model.version, timeout_s=deployment.timeout_s)
        is_pipeline = read_task(bundle) == "pipeline"
        check = gateway.check_golden_pages if is_pipeline else gateway.check_golden_lines
        n = check(bundle, name=model.name, version=model.version)
    what = "pages" if is_pipeline else "images"
    narrate("deploy", f"{deployment.endpoint} reads {n} of {n} golden {what} as exported")

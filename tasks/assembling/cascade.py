"""A second recogniser for the lines that a pipeline's own is unsure of."""

from configs.deployment import DeploymentParams
from configs.retrain import CascadeParams
from ocr.dataset.preparation import SnapshotRef
from ocr.errors import BadInput
from ocr.evaluation.lines.cascade import CascadeGain, fit_cascade
from ocr.models.bundle import INT8_MODEL
from ocr.store.folder import mark_used
from tasks.engine import reads_float32
from tasks.readers import load_recogniser
from tasks.references import CascadeRef
from tasks.run.narration import narrate
from tasks.workspace import Workspace, open_workspace


def find_cascade(
    params: CascadeParams, lines: SnapshotRef, deployment: DeploymentParams
) -> CascadeRef | None:
    """Look the second recogniser up, before anything is trained; None: none is wanted.

    Raises:
        ArtifactNotFound: There is none of that name.
        BadInput: It does not read, or not with what will serve it.
    """
    if not params.recogniser:
        return None
    registry = open_workspace().registry
    model = registry.resolve(params.recogniser)
    if model.task == "pipeline":
        parts = model.manifest
        model = registry.resolve(str(parts.get("second_recogniser") or parts["recogniser"]))
    if model.task != "recognition":
        message = f"cascade.recogniser: {params.recogniser} does {model.task}, expected recognition"
        raise BadInput(message)
    reason = reads_float32(deployment)
    if reason and INT8_MODEL in model.manifest.get("files", {}):
        raise BadInput(
            f"cascade.recogniser: {model.reference} is read in 8 bits, and {reason} reads float32; "
            "name a version that was exported with int8: false"
        )
    return CascadeRef(model.reference, params.time_factor, lines)


def weigh_cascade(workspace: Workspace, cascade: CascadeRef, *, recogniser: str) -> CascadeGain:
    """Find which lines the second recogniser has time for, and say what it gains.

    Args:
        workspace: Where both are.
        cascade: The second one.
        recogniser: NAME:VERSION of the first.
    """
    model = workspace.registry.resolve(cascade.recogniser)
    mark_used(workspace.store, prefix=f"models/{model.name}/{model.version}")
    gain = fit_cascade(
        load_recogniser(workspace, recogniser),
        load_recogniser(workspace, cascade.recogniser),
        workspace.open_lines(cascade.lines.key),
        time_factor=cascade.time_factor,
    )
    change = gain.change
    narrate(
        "export",
        f"{cascade.recogniser} reads {gain.share:.1%} of the validation lines again, in "
        f"{gain.time_factor:.2f} times the time: {gain.accuracy:.4f} read right without it, "
        f"{change.value:+.4f} ({change.lower:+.4f} to {change.upper:+.4f}) with it"
        + ("" if gain.pays else "; left out, as it does not help"),
    )
    return gain

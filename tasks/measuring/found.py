"""An evaluation is found under the digest of its inputs, or measured and kept."""

from collections.abc import Callable
from contextlib import suppress

from ocr.errors import ArtifactExists
from ocr.evaluation.report import EvaluationReport
from ocr.store.folder import mark_used
from tasks.run.alone import alone
from tasks.workspace import Workspace


def find_or_measure(
    workspace: Workspace, digest: str, measure: Callable[[], EvaluationReport]
) -> tuple[str, bool]:
    """Find the report of the same inputs, or keep what is measured.

    Args:
        workspace: Where it is or goes.
        digest: Names its inputs.
        measure: Makes it.

    Returns:
        Its prefix in the store, and whether it was there.
    """
    key = f"evaluations/{digest}"
    with alone(workspace.home, f"evaluate-{digest[:16]}", stage="evaluate"):
        mark_used(workspace.store, prefix=key)
        is_there = workspace.store.exists(f"{key}/report.json")
        if not is_there:
            report = measure().to_json()
            with suppress(ArtifactExists):  # another machine was faster; its report counts
                workspace.store.put_bytes(f"{key}/report.json", report)
    return key, is_there

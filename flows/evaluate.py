"""One model measured on one label file: the deployment ``evaluate/ocrline``."""

from typing import Any

from prefect import flow

from configs.operation.evaluate import EvaluateParams
from tasks.measuring.labels import measure_labels
from tasks.notifying.hooks import tell_failure


@flow(name="evaluate", flow_run_name="{params.model} {params.labels}", on_failure=[tell_failure])
def evaluate(params: EvaluateParams) -> dict[str, Any]:
    """Read every labelled image with a model and compare with its label; nothing is promoted.

    Args:
        params: Which model, and on what.
    """
    return measure_labels(params)

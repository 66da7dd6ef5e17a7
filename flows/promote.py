"""A version online by hand, proven or taken back: the deployment ``promote/ocrline``."""

from prefect import flow

from configs.operation.promote import PromoteParams
from tasks.deploy import promote_version
from tasks.notifying.hooks import tell_failure


@flow(name="promote", flow_run_name="{params.name} {params.version}", on_failure=[tell_failure])
def promote(params: PromoteParams) -> None:
    """Make a version the champion and prove that the gateway reads as it did when it was exported.

    Args:
        params: Which version, why, and where it is to answer.
    """
    promote_version(params)

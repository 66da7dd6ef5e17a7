"""The champion before this one online again: the deployment ``rollback/ocrline``."""

from prefect import flow

from configs.operation.rollback import RollbackParams
from tasks.deploy import rollback_champion
from tasks.notifying.hooks import tell_failure


@flow(name="rollback", flow_run_name="{params.name}", on_failure=[tell_failure])
def rollback(params: RollbackParams) -> None:
    """Make the version before the champion the champion again, and prove that it answers.

    Args:
        params: Which model, why, and where it is to answer.
    """
    rollback_champion(params)

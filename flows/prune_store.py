"""What nobody needs any more, shown or removed: the deployment ``prune/ocrline``."""

from prefect import flow

from configs.operation.prune import PruneParams
from tasks.keeping.prune import prune_store
from tasks.notifying.hooks import tell_failure


@flow(name="prune", flow_run_name="prune", on_failure=[tell_failure])
def prune(params: PruneParams) -> None:
    """Show what of the store and of this machine may go, in a table; remove it when told to.

    Champions, their history, what they were made of and judged by, and frozen tests always stay.

    Args:
        params: What may go, and whether it goes.
    """
    prune_store(params)

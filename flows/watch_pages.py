"""A look for new labelled pages: the deployment ``watch-pages/PROJECT``."""

from prefect import flow

from configs.operation.watch import WatchPagesParams
from tasks.notifying.hooks import tell_failing
from tasks.starting.new_data import look_at_pages


@flow(name="watch-pages", flow_run_name="{params.name}", on_failure=[tell_failing])
def watch_pages(params: WatchPagesParams) -> int:
    """Count the labelled pages that the champion did not learn from; enough start a retraining.

    Args:
        params: Where to look, and how many are enough.
    """
    return look_at_pages(params)

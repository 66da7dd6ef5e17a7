"""A look for new labelled lines: the deployment ``watch-lines/PROJECT``."""

from prefect import flow

from configs.operation.watch import WatchLinesParams
from tasks.notifying.hooks import tell_failing
from tasks.starting.new_data import look_at_lines


@flow(name="watch-lines", flow_run_name="{params.name}", on_failure=[tell_failing])
def watch_lines(params: WatchLinesParams) -> int:
    """Count the labelled lines that the champion did not learn from; enough start a retraining.

    Args:
        params: Where to look, and how many are enough.
    """
    return look_at_lines(params)

"""A flow that does nothing for some seconds: what else runs is seen beside it."""

import time

from prefect import flow
from pydantic import Field

from configs.base import Params


class NapParams(Params):
    """How long."""

    seconds: float = Field(5, gt=0, le=3600, description="Seconds until it ends")


@flow(name="nap")
def nap(params: NapParams) -> None:
    """Do nothing for a while.

    Args:
        params: How long.
    """
    time.sleep(params.seconds)

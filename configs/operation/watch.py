"""The forms of the flows that look for new labelled data."""

from pydantic import Field

from configs.base import NAME_PATTERN, Params
from configs.dataset import LineDatasetParams, PageDatasetParams


class WatchParams(Params):
    """What looking for new data of lines and of pages has in common."""

    name: str = Field(pattern=NAME_PATTERN, description="Name of the model that is retrained")
    new_samples: int = Field(
        ge=1, description="New or otherwise labelled samples that are enough to retrain"
    )


class WatchLinesParams(WatchParams):
    """Labelled lines to look at."""

    dataset: LineDatasetParams = Field(
        default=LineDatasetParams(), description="The labelled images"
    )


class WatchPagesParams(WatchParams):
    """Labelled pages to look at."""

    dataset: PageDatasetParams = Field(
        default=PageDatasetParams(), description="The labelled pages"
    )

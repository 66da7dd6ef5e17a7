"""Where a dataset's root is."""

import pytest

from ocr.errors import BadInput
from tasks.workspace import dataset_root


@pytest.mark.parametrize("written", ["https://key:hush@server/scans", "S3://key:hush@scans/may"])
def test_an_address_of_another_kind_is_refused_and_not_shown(written: str) -> None:
    with pytest.raises(BadInput, match=r"expected a folder, a tar file or s3://") as refusal:
        dataset_root(written)

    assert "hush" not in str(refusal.value)

from collections.abc import Iterator

import pytest

from tests.tasks.prefect_server import PrefectServer, running_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrefectServer]:
    """A Prefect server, which this process talks to."""
    with running_server(tmp_path_factory.mktemp("machine") / "prefect") as server:
        yield server

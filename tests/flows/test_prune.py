"""The flow that shows what nobody needs any more, and removes it when told to."""

import asyncio
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prefect import get_client
from prefect.client.schemas.sorting import ArtifactSort
from pydantic import ValidationError

from configs.operation.prune import PruneParams
from flows.prune_store import prune
from tasks.workspace import open_workspace
from tests.ocr.retention.filled import GOES, fill
from tests.tasks.prefect_server import running_server

DAY_S = 24 * 3600


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with running_server(tmp_path_factory.mktemp("machine") / "prefect"):
        yield


@pytest.fixture
def old_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harness: None) -> Path:
    """A store with all that there can be, of 40 days ago."""
    monkeypatch.setenv("OCRLINE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("OCRLINE_STORE", str(tmp_path / "store"))
    fill(open_workspace().store, tmp_path / "bundles")
    then = time.time() - 40 * DAY_S
    newest = f"datasets/plates/{'3' * 64}"
    for number, path in enumerate(sorted((tmp_path / "store").rglob("*.*"))):
        newer = DAY_S if newest in str(path) else number / 1000
        os.utime(path, (then + newer, then + newer))
    return tmp_path / "store"


def table() -> tuple[str, list[dict[str, Any]]]:
    async def ask() -> Any:
        async with get_client() as client:
            return await client.read_artifacts(sort=ArtifactSort.CREATED_DESC, limit=1)

    (artifact,) = asyncio.run(ask())
    return artifact.description, json.loads(artifact.data)


def files(store: Path) -> set[Path]:
    return {path for path in store.rglob("*.*") if path.is_file()}


def test_by_default_it_is_shown_and_stays(old_store: Path) -> None:
    before = files(old_store)

    prune(PruneParams())

    description, rows = table()
    going = [row for row in rows if row["becomes"] == "may go"]
    assert sum(row["things"] for row in going if row["what"] != "mark of use") == len(GOES)
    assert "may go" in description
    assert rows[: len(going)] == going
    assert files(old_store) == before


def test_told_to_it_removes_and_champions_stay(old_store: Path) -> None:
    prune(PruneParams(dry_run=False))

    description, rows = table()
    assert "removed" in description
    assert {row["becomes"] for row in rows} == {"removed", "stays"}
    registry = open_workspace().registry
    assert registry.resolve("plates").version == "second"
    assert not any((old_store / prefix).exists() for prefix in GOES)


def test_days_that_a_run_may_last_are_not_chosen() -> None:
    with pytest.raises(ValidationError, match="greater than or equal to 7"):
        PruneParams(older_than_days=6)

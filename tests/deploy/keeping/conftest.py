"""Homes with a store and a real database of Prefect, made once and copied."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from configs.settings import Settings
from ocr.store import open_store
from tests.ocr.retention.filled import fill
from tests.prefect_tables import give_tables

ROWS = """
INSERT INTO flow (id, name) VALUES ('00000000-0000-4000-8000-000000000001', 'retrain-lines');
INSERT INTO flow_run (id, name, flow_id, state_type, state_name) VALUES
 ('00000000-0000-4000-8000-000000000002', 'done', '00000000-0000-4000-8000-000000000001',
  'COMPLETED', 'Completed'),
 ('00000000-0000-4000-8000-000000000003', 'under way', '00000000-0000-4000-8000-000000000001',
  'RUNNING', 'Running'),
 ('00000000-0000-4000-8000-000000000008', 'asks', '00000000-0000-4000-8000-000000000001',
  'PAUSED', 'Paused');
INSERT INTO configuration (key, value) VALUES ('ENCRYPTION_KEY', '{"fernet_key": "the-key"}');
INSERT INTO concurrency_limit_v2 (id, active, name, "limit", active_slots, denied_slots,
  slot_decay_per_second, avg_slot_occupancy_seconds) VALUES
 ('00000000-0000-4000-8000-000000000004', '1', 'gpu', 1, 1, 0, 0, 2);
INSERT INTO block_type (id, name, slug) VALUES
 ('00000000-0000-4000-8000-000000000005', 'Chat', 'chat');
INSERT INTO block_schema (id, checksum, block_type_id) VALUES
 ('00000000-0000-4000-8000-000000000006', 'x', '00000000-0000-4000-8000-000000000005');
INSERT INTO block_document (id, name, data, block_schema_id, block_type_id) VALUES
 ('00000000-0000-4000-8000-000000000007', 'chat', '"encrypted"',
  '00000000-0000-4000-8000-000000000006', '00000000-0000-4000-8000-000000000005');
"""
"""A run that is done, one under way with a slot, one that asks, and a block with its key."""


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """A home with all that a backup takes."""
    with patch.dict(os.environ):
        home = tmp_path / "home"
        (home / "services").mkdir(parents=True)
        (home / "services" / "endpoint").write_text("http://127.0.0.1:8868 ")
        (home / "services" / "stack.json").write_text('{"has_minio": true}')
        (home / "services" / "prefect-password").write_text("ocrline:the-password")
        (home / "notifications.yaml").write_text("targets: [{url: 'json://me:hush@host/'}]")
        (home / "keys.json").write_text('{"keys": []}')
        give_tables(home / "prefect")
        with closing(sqlite3.connect(home / "prefect" / "prefect.db")) as database:
            database.executescript(ROWS)
        monkeypatch.setenv("OCRLINE_HOME", str(home))
        settings = Settings()
        fill(open_store(settings.store), tmp_path / "bundles")
        yield settings


def new_home(home: Path, monkeypatch: pytest.MonkeyPatch, **more: str) -> Settings:
    """Return the settings of a machine where nothing is yet."""
    monkeypatch.setenv("OCRLINE_HOME", str(home))
    for name, value in more.items():
        monkeypatch.setenv(name, value)
    return Settings()

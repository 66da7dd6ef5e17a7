"""The mends of Prefect's server on SQLite, each for itself."""

import asyncio
import sqlite3

import aiosqlite
import pytest

from deploy.parts.prefect_process import close_failed_cursors


@pytest.mark.parametrize("name", ["execute", "executemany"])
def test_the_cursor_of_a_statement_that_failed_is_closed(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for method in ("execute", "executemany"):  # to have them back
        monkeypatch.setattr(aiosqlite.Cursor, method, getattr(aiosqlite.Cursor, method))
    close_failed_cursors()

    async def fail_and_go_on() -> None:
        async with aiosqlite.connect(":memory:") as connection:
            cursor = await connection.cursor()
            await cursor.execute("CREATE TABLE runs (id INTEGER PRIMARY KEY)")
            with pytest.raises(sqlite3.IntegrityError):
                await getattr(cursor, name)(*FAILING[name])
            await cursor.execute("SELECT 1")

    with pytest.raises(sqlite3.ProgrammingError, match="closed cursor"):
        asyncio.run(fail_and_go_on())


FAILING = {
    "execute": ("INSERT INTO runs VALUES (1), (1)",),
    "executemany": ("INSERT INTO runs VALUES (?)", [(1,), (1,)]),
}

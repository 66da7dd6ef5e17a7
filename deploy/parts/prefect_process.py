"""Prefect's server, to whose SQLite many write at once: ``python -m deploy.parts.prefect_process``.

As Prefect 3.8.8 is, three clients that write stop all its answers for a minute, see
`docs/adr/0018-writers-of-sqlite.md`. PostgreSQL is left as it is.
"""

import runpy
import sqlite3
from contextlib import AbstractAsyncContextManager
from typing import Any

from aiosqlite import Cursor
from prefect.server.database.configurations import AioSqliteConfiguration
from sqlalchemy.ext.asyncio import AsyncSession, AsyncSessionTransaction


def main() -> None:
    """Be Prefect's command line, with writers that wait for each other."""
    write_in_turn()
    close_failed_cursors()
    runpy.run_module("prefect", run_name="__main__")


def write_in_turn() -> None:
    """Let each transaction that is begun by name take the right to write at once.

    One that reads first and then writes cannot wait: SQLite refuses it as soon as another one has
    written in between ("database is locked").
    """
    begin = AioSqliteConfiguration.begin_transaction

    def begin_writing(
        self: AioSqliteConfiguration, session: AsyncSession, with_for_update: bool = True
    ) -> AbstractAsyncContextManager[AsyncSessionTransaction]:
        del with_for_update
        return begin(self, session, with_for_update=True)

    patched: Any = AioSqliteConfiguration
    patched.begin_transaction = begin_writing


def close_failed_cursors() -> None:
    """Let a statement that failed be let go in the thread of its connection.

    SQLAlchemy drops its cursor in the thread that answers requests. There it waits for the lock of
    the connection, in which by then another statement waits for its turn to write.
    """
    for name in ("execute", "executemany"):
        setattr(Cursor, name, _closing(getattr(Cursor, name)))


def _closing(run: Any) -> Any:
    async def run_or_close(cursor: Cursor, *arguments: Any) -> Cursor:
        try:
            found: Cursor = await run(cursor, *arguments)
        except sqlite3.Error:
            await cursor.close()
            raise
        return found

    return run_or_close


if __name__ == "__main__":
    main()

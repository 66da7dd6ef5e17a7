"""Many writers of one key, as threads and as processes: exactly one wins."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from threading import Barrier

import pytest

from ocr.errors import AliasMoved, ArtifactExists
from ocr.models.registry import Registry
from ocr.store import S3Credentials, Store, open_store
from tests.ocr.store.noise import write_noise

WRITERS = 8
LARGE = 9 * 2**20  # two parts of a multipart upload
KEY = "models/plates/v1/manifest.json"
ALIAS = "models/plates/aliases/champion.json"
PROMOTE = """
import os, sys
from ocr.errors import AliasMoved
from ocr.models.registry import Registry
from ocr.store import S3Credentials, open_store
credentials = S3Credentials(*sys.argv[2:4], os.environ["SECRET_KEY"])
registry = Registry(open_store(sys.argv[1], s3=credentials))
print("ready", flush=True)
sys.stdin.readline()
for version in sys.argv[4:]:
    while True:
        try:
            print(registry.promote("plates", version, reason="race").version, flush=True)
            break
        except AliasMoved:
            pass
"""


# Not moto: it checks a condition and writes in two steps, so that two writers can both win.
@pytest.fixture(params=["local", "minio"])
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def register(store: Store, versions: Iterable[str], folder: Path) -> None:
    """Give the model plates some versions."""
    for version in versions:
        bundle = folder / f"bundle-{version}"
        bundle.mkdir()
        manifest = {"name": "plates", "version": version}
        (bundle / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        Registry(store).register("plates", version, bundle)


def race(write: Callable[[int], object], *, lost: type[Exception]) -> list[int]:
    """Let every writer start at once; return the numbers of those that won."""
    barrier = Barrier(WRITERS)

    def run(number: int) -> bool:
        barrier.wait()
        try:
            write(number)
        except lost:
            return False
        return True

    with ThreadPoolExecutor(WRITERS) as pool:
        won = list(pool.map(run, range(WRITERS)))
    return [number for number, is_winner in enumerate(won) if is_winner]


def test_one_of_many_contents_gets_a_new_key(store: Store) -> None:
    winners = race(lambda number: store.put_bytes(KEY, b"%d" % number), lost=ArtifactExists)

    assert len(winners) == 1
    assert store.read_bytes(KEY) == b"%d" % winners[0]


def test_one_of_many_large_files_gets_a_new_key(store: Store, tmp_path: Path) -> None:
    files = [write_noise(tmp_path / str(number), size=LARGE) for number in range(WRITERS)]

    winners = race(lambda number: store.put_file(KEY, files[number]), lost=ArtifactExists)

    assert len(winners) == 1
    assert store.read_bytes(KEY) == files[winners[0]].read_bytes()


def test_all_writers_of_the_same_content_are_content(store: Store) -> None:
    winners = race(lambda number: store.put_bytes(KEY, b"same"), lost=ArtifactExists)

    assert len(winners) == WRITERS


def test_one_of_many_swaps_of_one_tag_succeeds(store: Store) -> None:
    tag: str | None = None
    for round_ in range(5):
        winners = race(
            lambda number, round_=round_, tag=tag: store.compare_and_swap(  # type: ignore[misc]
                ALIAS, b"%d/%d" % (round_, number), expected=tag
            ),
            lost=AliasMoved,
        )
        data, tag = store.read_tagged(ALIAS)

        assert len(winners) == 1
        assert data == b"%d/%d" % (round_, winners[0])


@pytest.mark.parametrize("move", ["promote", "rollback", "undo"])
def test_who_loses_a_race_for_the_champion_is_told_what_to_do(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, move: str
) -> None:
    register(store, "abc", tmp_path)
    registry = Registry(store)
    registry.promote("plates", "a", reason="first")
    promoted = registry.promote("plates", "b", reason="better")
    moves: dict[str, Callable[[], object]] = {
        "promote": lambda: registry.promote("plates", "c", reason="best"),
        "rollback": lambda: registry.rollback("plates", reason="bad"),
        "undo": lambda: registry.undo(promoted, reason="does not answer"),
    }
    write = store.compare_and_swap

    def write_second(key: str, data: bytes, *, expected: str | None) -> str:
        monkeypatch.undo()
        registry.promote("plates", "c", reason="faster")
        return write(key, data, expected=expected)

    monkeypatch.setattr(store, "compare_and_swap", write_second)

    with pytest.raises(
        AliasMoved, match=r"'plates' was moved meanwhile: look at `ocrline models s"
    ):
        moves[move]()


def test_one_of_many_promotions_from_one_champion_succeeds(store: Store, tmp_path: Path) -> None:
    register(store, [str(number) for number in range(WRITERS)], tmp_path)

    winners = race(
        lambda number: Registry(store).promote("plates", str(number), reason="race", expected=None),
        lost=AliasMoved,
    )

    champion = Registry(store).champion("plates")
    assert champion is not None
    assert [champion.version] == [str(number) for number in winners]
    assert len(champion.history) == 1


def test_promotions_from_many_processes_are_all_in_the_history(
    store: Store, store_uri: str, credentials: S3Credentials | None, tmp_path: Path
) -> None:
    keys = credentials or S3Credentials("none", "none", "none")
    plans = [[f"{writer}-{number}" for number in range(5)] for writer in range(3)]
    register(store, chain(*plans), tmp_path)

    said = run_together(
        [
            [sys.executable, "-c", PROMOTE, store_uri, keys.endpoint, keys.access_key, *plan]
            for plan in plans
        ],
        secret=keys.secret_key,
    )

    history = Registry(open_store(store_uri, s3=credentials)).history("plates")
    assert said == plans
    assert sorted(str(move.version) for move in history) == sorted(chain(*plans))
    assert [move.previous for move in history] == [None, *(move.version for move in history[:-1])]


def run_together(commands: list[list[str]], *, secret: str) -> list[list[str]]:
    """Start every process, let all go at once, and return the lines that each printed."""
    processes = [
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "SECRET_KEY": secret},
        )
        for command in commands
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    return [process.communicate(timeout=120)[0].split() for process in processes]

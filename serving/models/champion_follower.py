"""Follows the champions of a registry: a promotion or rollback is loaded and swapped in."""

import logging
import math
import shutil
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ocr.errors import OcrError, ProcessDied, StoreRefused, StoreUnavailable
from ocr.models.alias import AliasState
from ocr.store.folder import name_copies
from serving.metrics import ServingMetrics
from serving.models.live_model import LiveModel
from serving.models.loading import Loader
from serving.models.model_pool import ModelPool
from serving.workers.faults import WorkerFailed

LOG = logging.getLogger("ocrline.serving")

DISCOVERY_S: Final = 1.0  # listing folders costs an S3 server more than reading one object
LONGEST_PAUSE_S: Final = 30.0
MEND_S: Final = 5.0
"""Until a copy that could not be mended is tried again; one that was has longer to be loaded."""
LONGEST_GOODBYE_S: Final = 3.0
LOADERS: Final = 2


@dataclass
class _Attempt:
    """How long the load of one alias state was last put off (s), and when it may be tried again."""

    tag: str
    pause_s: float
    not_before: float = 0.0


class ChampionFollower:
    """Polls the champion aliases in one thread, loads in others, and never serves a broken bundle.

    A bundle that is broken stays out until the alias moves; a store that fails is asked again,
    at growing intervals.
    """

    def __init__(
        self,
        loader: Loader,
        pool: ModelPool,
        *,
        named: Sequence[str],
        cache: Path,
        poll_s: float,
        metrics: ServingMetrics,
    ) -> None:
        self._loader = loader
        self._registry = loader.registry
        self._pool = pool
        self._named = tuple(named)
        # Two stores may hold the same name and version with other content.
        self._cache = cache / name_copies(self._registry.store.uri)
        self._poll_s = poll_s
        self._metrics = metrics
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="champions", daemon=True)
        self._loaders = ThreadPoolExecutor(LOADERS, thread_name_prefix="load")
        # What comes to no end holds a thread for minutes: at its second try none of the others'.
        self._again = ThreadPoolExecutor(LOADERS, thread_name_prefix="load-again")
        self._loading: set[str] = set()
        self._attempts: dict[str, _Attempt] = {}
        self._complaints: dict[str, str] = {}
        self._mended: dict[str, float] = {}
        self._names: tuple[str, ...] = self._named
        self._discovered_at = -DISCOVERY_S

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def close(self) -> None:
        """Stop following; a load under way is waited for, because engines cannot be interrupted."""
        self._stop.set()
        self._thread.join(LONGEST_GOODBYE_S)  # it may hang in a store that does not answer
        for loaders in (self._loaders, self._again):
            loaders.shutdown(wait=True, cancel_futures=True)

    def look(self) -> None:
        """Look at every champion once and begin to load those that are new."""
        try:
            found = [name for name in self._discover() if self._look_at(name)]
        except StoreUnavailable as error:
            self._metrics.store_errors.inc()
            does = "refuses the gateway" if isinstance(error, StoreRefused) else "does not answer"
            self._note(f"the store {does}", detail=str(error), is_complete=False)
            return
        lost = sorted(set(self._pool.states) - set(found))
        self._note(f"champions gone from the store: {', '.join(lost)}" if lost else "")

    def _note(self, warning: str, *, detail: str = "", is_complete: bool = True) -> None:
        if warning != self._pool.warning:
            LOG.warning("%s %s", warning or "the store is back", detail)
        self._metrics.store_up.set(not warning)
        self._pool.note_look(warning=warning, is_complete=is_complete)

    def _follow(self) -> None:
        while not self._stop.is_set():
            try:
                self._mend_copies()
                self.look()
            except Exception:  # the thread's edge: it must outlive anything one look does
                LOG.exception("looking at the champions failed")
            self._stop.wait(self._poll_s)

    def _discover(self) -> tuple[str, ...]:
        if not self._named and time.monotonic() - self._discovered_at >= DISCOVERY_S:
            self._names = tuple(self._registry.store.folders("models"))
            self._discovered_at = time.monotonic()
        return self._names

    def _look_at(self, name: str) -> bool:
        try:
            champion = self._registry.read_alias(name)
        except StoreUnavailable:
            raise
        except OcrError as error:  # one damaged alias must not hide the others
            self._complain(name, str(error))
            return False
        if champion is None:
            return False
        self._complaints.pop(name, None)
        if not champion.version:  # its first promotion was undone
            self._pool.forget(name)
            return True
        self._pool.expect(name, champion.version)
        if self._pool.states[name].is_behind and self._may_load(champion):
            self._loading.add(name)
            was_tried = self._attempts[name].not_before > 0
            (self._again if was_tried else self._loaders).submit(self._load, champion)
        return True

    def _mend_copies(self) -> None:
        """Fetch again what a worker could not load again, whatever is champion by now."""
        crew, now = self._loader.crew, time.monotonic()
        for name, state in self._pool.states.items():
            live = state.live
            if live is None:
                continue
            if state.lost and crew.has(live.key):
                self._pool.note_lost(live, "")
            damage = crew.damaged.get(live.key)
            if damage is None:
                if self._mended.pop(live.key, None):
                    LOG.warning("the copy of %s:%s is as it was again", live.name, live.version)
            elif now >= self._mended.get(live.key, now):
                folder = self._cache / name / live.version
                if live.key in self._mended:  # in vain
                    self._lose(live, damage, folder)
                self._mended[live.key] = math.inf  # it is under way
                self._again.submit(self._mend, live, folder)

    def _mend(self, live: LiveModel, folder: Path) -> None:
        pause_s = MEND_S
        try:
            self._loader.mend(live, folder)
            pause_s = LONGEST_PAUSE_S
        except (OcrError, OSError) as error:
            LOG.error("the copy of %s:%s is not mended: %s", live.name, live.version, error)
            self._lose(live, str(error), folder)
        finally:
            if live.key in self._mended:  # it has not been loaded meanwhile
                self._mended[live.key] = time.monotonic() + pause_s

    def _lose(self, live: LiveModel, why: str, folder: Path) -> None:
        """Refuse who asks for what no worker can read with, now and from now on."""
        if not self._loader.crew.has(live.key):
            why = f"its copy here is damaged and cannot be mended now: {self._public(why, folder)}"
            self._pool.note_lost(live, why)
            self._loader.crew.give_up(live.key)

    def _complain(self, name: str, message: str) -> None:
        if self._complaints.get(name) != message:
            LOG.error("the champion of %s is unreadable: %s", name, message)
            self._complaints[name] = message

    def _may_load(self, champion: AliasState) -> bool:
        if champion.name in self._loading:
            return False
        attempt = self._attempts.get(champion.name)
        if attempt is None or attempt.tag != champion.tag:
            self._attempts[champion.name] = _Attempt(champion.tag, self._poll_s)
            return True
        return time.monotonic() >= attempt.not_before

    def _load(self, champion: AliasState) -> None:
        name, version = champion.name, champion.version
        started = time.perf_counter()
        folder = self._cache / name / version
        try:
            found = self._registry.version(name, version)
            if self._pool.swap(self._loader.load(found, folder)):
                LOG.info("serving %s in %.2f s", found.reference, time.perf_counter() - started)
                self._sweep(name, champion)
        except (OcrError, OSError) as error:
            can_heal = isinstance(error, OSError | ProcessDied)  # the store, the disk, an engine
            self._refuse(champion, self._public(str(error), folder), can_heal=can_heal)
        except WorkerFailed as error:  # an engine may raise anything over a bad file
            self._refuse(champion, f"the engine does not load it ({error})", can_heal=False)
        except Exception:  # the thread's edge
            LOG.exception("loading %s:%s failed", name, version)
            self._refuse(champion, "the gateway failed over it; see its log", can_heal=True)
        finally:
            self._loading.discard(name)

    def _refuse(self, champion: AliasState, reason: str, *, can_heal: bool) -> None:
        attempt = self._attempts[champion.name]
        attempt.pause_s = min(LONGEST_PAUSE_S, 2 * attempt.pause_s)
        attempt.not_before = time.monotonic() + attempt.pause_s if can_heal else math.inf
        self._pool.refuse(champion.name, champion.version, reason, is_final=not can_heal)
        LOG.error("%s:%s stays out of service: %s", champion.name, champion.version, reason)

    def _public(self, message: str, folder: Path) -> str:
        """Leave out where this machine keeps things: clients see the message."""
        for place in (str(folder), str(self._cache), self._registry.store.uri):
            message = message.replace(f"{place}/", "").replace(place, "the bundle")
        return message

    def _sweep(self, name: str, champion: AliasState) -> None:
        """Keep the copies of what serves and of what a rollback would bring back."""
        kept = {champion.version, champion.previous}
        for folder in (self._cache / name).iterdir():
            if folder.name not in kept and not folder.name.startswith("."):
                shutil.rmtree(folder, ignore_errors=True)

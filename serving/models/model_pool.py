"""The set of live models: read by every request, changed by one swap at a time."""

import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from serving.metrics import ServingMetrics
from serving.models.live_model import LiveModel, LivePipeline
from serving.problems import Problem


@dataclass(frozen=True)
class ModelState:
    """What is known of one model: what should serve, what does, and why it differs.

    A champion that is refused is not tried again; after another error it is. What serves is `lost`
    for a reason while no worker can read with it.
    """

    name: str
    champion: str
    live: LiveModel | None = None
    last_error: str = ""
    is_refused: bool = False
    lost: str = ""

    @property
    def is_behind(self) -> bool:
        """Whether the champion is not the version that serves."""
        return self.live is None or self.live.version != self.champion

    @property
    def answers(self) -> LiveModel | None:
        """What reads now; none where nothing serves, or no worker has it."""
        return None if self.lost else self.live

    @property
    def why_not_ready(self) -> str:
        """Why nothing serves under this name."""
        return f"{self.name}: {self.lost or self.last_error or f'{self.champion} is being loaded'}"


class ModelPool:
    """Live models by name. Readers take no lock: the mapping is replaced, never changed."""

    def __init__(self, *, named: tuple[str, ...], metrics: ServingMetrics) -> None:
        self._named = named
        self._metrics = metrics
        self._lock = threading.Lock()
        self._states: Mapping[str, ModelState] = {}
        self._was_read = False
        self._is_ready = False
        self.warning = ""

    @property
    def named(self) -> tuple[str, ...]:
        """The only names that are served; empty: all that have a champion."""
        return self._named

    @property
    def states(self) -> Mapping[str, ModelState]:
        """Every model that has a champion, by name."""
        return self._states

    def choose(self, name: str, version: str = "", *, of: Collection[str] = ()) -> LiveModel:
        """Return what serves a name; without a name, the only model there is.

        Args:
            name: The model's.
            version: Of it; empty: any.
            of: Those that whoever asks may know of; none: all.

        Raises:
            Problem: There is none, there are several, it is not ready or of another version.
        """
        states = self._known(of)
        if not name and len(states) > 1:
            message = f"Say which model: ?model= one of {', '.join(sorted(states))}"
            raise Problem("model_required", message)
        if not self._states and (not name or not self._was_read):
            raise Problem("not_ready", self.why_not_ready())
        state = states.get(name) if name else next(iter(states.values()), None)
        if state is None:
            known = ", ".join(sorted(states)) or "none"
            raise Problem("unknown_model", f"No champion of {name[:100]!r}; there are: {known}")
        live = state.answers
        if live is None:
            raise Problem("not_ready", state.why_not_ready)
        if version not in ("", live.version):
            message = f"{state.name} is served as {live.version}, not as {version[:100]!r}"
            raise Problem("unknown_version", message)
        return live

    def choose_pipeline(
        self, name: str, version: str = "", *, of: Collection[str] = ()
    ) -> LivePipeline:
        """Return what reads pages under a name; without a name, the only pipeline there is.

        Arguments and errors are those of `choose`.
        """
        states = self._known(of)
        live = self.choose(name or _only_pipeline(states), version, of=of)
        if not isinstance(live, LivePipeline):
            known = ", ".join(_pipelines(states)) or "none here"
            message = f"{live.name} reads lines (/v1/recognize); models that read pages: {known}"
            raise Problem("wrong_task", message)
        return live

    def expect(self, name: str, champion: str) -> None:
        """Note which version should serve a name; errors of another one are history."""
        with self._lock:
            state = self._states.get(name)
            if state is None:
                self._set(ModelState(name, champion))
            elif state.champion != champion:
                self._set(replace(state, champion=champion, last_error="", is_refused=False))

    def swap(self, live: LiveModel) -> bool:
        """Put a model in service, unless another version has become champion meanwhile."""
        with self._lock:
            state = self._states.get(live.name)
            if state is None or state.champion != live.version:
                return False
            old = state.live
            self._set(replace(state, live=live, last_error="", is_refused=False, lost=""))
        if old:
            self._metrics.model_info.remove(old.name, old.version, old.engine)
        self._metrics.model_info.labels(live.name, live.version, live.engine).set(1)
        self._metrics.swaps.labels(live.name).inc()
        return True

    def refuse(self, name: str, version: str, error: str, *, is_final: bool) -> None:
        """Note why a version is not in service, for now or for good; what serves goes on."""
        self._metrics.load_errors.labels(name).inc()
        with self._lock:
            state = self._states.get(name)
            if state is not None and state.champion == version:
                message = (
                    f"{version} {'was refused' if is_final else 'cannot be loaded now'}: {error}"
                )
                self._set(replace(state, last_error=message, is_refused=is_final))

    def note_lost(self, live: LiveModel, why: str) -> None:
        """Note that no worker can read with what serves, and why; empty: one can again."""
        with self._lock:
            state = self._states.get(live.name)
            if state is not None and state.live is live:
                self._set(replace(state, lost=why))

    def forget(self, name: str) -> None:
        """Take a model out of service whose name has no champion any more."""
        with self._lock:
            state = self._states.get(name)
            if state is None:
                return
            self._states = {key: kept for key, kept in self._states.items() if key != name}
        self._metrics.model_behind.remove(name)
        if state.live:
            self._metrics.model_info.remove(name, state.live.version, state.live.engine)

    def note_look(self, *, warning: str = "", is_complete: bool = True) -> None:
        """Note how the last look at the store went."""
        with self._lock:
            self.warning = warning
            self._was_read = self._was_read or is_complete
            self._is_ready = self._is_ready or not self._blockers()

    def why_not_ready(self) -> str:
        """Say why no requests should come here; empty when they should.

        Once ready, a gateway stays so: what is loaded keeps serving, whatever happens to the store,
        unless its workers have lost it.
        """
        if not self._is_ready:
            return "; ".join(self._blockers()) or "starting"
        lost = [state.why_not_ready for state in self._states.values() if state.lost]
        served = sum(state.live is not None for state in self._states.values())
        return "; ".join(lost) if self._named or len(lost) == served else ""

    def describe(self) -> list[dict[str, Any]]:
        """List the models for /v1/models."""
        return [_describe(state) for _, state in sorted(self._states.items())]

    def _known(self, of: Collection[str]) -> Mapping[str, ModelState]:
        if not of:
            return self._states
        return {name: state for name, state in self._states.items() if name in of}

    def _blockers(self) -> list[str]:
        states = self._states
        if not self._was_read:
            return [self.warning or "the store was not read yet"]
        missing = [f"{name}: no champion yet" for name in self._named if name not in states]
        if missing or not states:
            return missing or ["no model has a champion yet"]
        waiting = [state for state in states.values() if state.live is None]
        if len(waiting) < len(states) and not self._named:  # one broken model must not stop others
            waiting = [state for state in waiting if not state.last_error]
        return [state.why_not_ready for state in waiting]

    def _set(self, state: ModelState) -> None:
        self._states = {**self._states, state.name: state}
        self._is_ready = self._is_ready or not self._blockers()
        self._metrics.model_behind.labels(state.name).set(state.is_behind or bool(state.lost))


def _pipelines(states: Mapping[str, ModelState]) -> list[str]:
    return sorted(state.name for state in states.values() if isinstance(state.live, LivePipeline))


def _only_pipeline(states: Mapping[str, ModelState]) -> str:
    names = _pipelines(states)
    if len(names) > 1:
        raise Problem("model_required", f"Say which model: ?model= one of {', '.join(names)}")
    waiting = [state.why_not_ready for state in states.values() if state.live is None]
    if not names and waiting:  # any of them may be a pipeline
        raise Problem("not_ready", "; ".join(waiting))
    return names[0] if names else next(iter(states), "")


def _describe(state: ModelState) -> dict[str, Any]:
    live = state.live
    return {
        "name": state.name,
        "version": live.version if live else None,
        "alias": "champion",
        "champion": state.champion,
        "task": live.manifest.task if live else None,
        "engine": live.engine if live else None,
        "loaded_at": live.loaded_at if live else None,
        "dataset_digest": live.manifest.dataset_digest if live else None,
        "metrics": dict(live.manifest.metrics) if live else {},
        "last_error": state.lost or state.last_error or None,
        "is_refused": state.is_refused,
    }

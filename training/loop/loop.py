"""The loop of one rank: learn, report, validate, keep."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from configs.training import LoopParams
from ocr.errors import BadInput, TrainingFailed
from training.loop.checkpoint import read_weights
from training.loop.guards import Stopped, StopRequest, Watchdog
from training.loop.learner import Learner
from training.loop.loading import load_ahead
from training.loop.meter import Meter
from training.loop.progress import MetricsLog
from training.loop.ranks import Ranks
from training.loop.schedule import is_evaluation, learning_rate, log_interval
from training.loop.selection import Selection
from training.loop.state import TrainState, save_state
from training.loop.trainee import Batch, SecondPhase, Trainee


@dataclass
class TrainingLoop:
    """One rank's part of a training that can be killed at any moment and go on.

    Everything random is a function of seed, rank and step; everything else is in the state, which
    is the same for all ranks, so that the first one keeps it for all.

    Attributes:
        job: Digest of the job, to tell whose state lies in the folder.
        folder: Of the job.
        training: How to train.
        trainee: What is trained.
        ranks: Which rank this is.
        learner: Net and optimizer.
        selection: Averages and validates; on the first rank only.
        meter: Losses and speed.
        log: Progress lines; on the first rank only.
        watchdog: Wants a beat per step.
        stop: Whether to leave.
        loader_threads: That make batches in the background.
        done: Finished steps.
    """

    job: str
    folder: Path
    training: LoopParams
    trainee: Trainee
    ranks: Ranks
    learner: Learner
    selection: Selection
    meter: Meter
    log: MetricsLog
    watchdog: Watchdog
    stop: StopRequest
    loader_threads: int
    done: int = 0
    _saved_at: float = 0.0

    @property
    def steps(self) -> int:
        """Of the whole run."""
        return self.trainee.steps

    def run(self) -> None:
        """Train to the end, or until patience is exhausted.

        Raises:
            TrainingFailed: The loss is no number, a checkpoint cannot be written, or the ranks
                have drifted apart.
            Stopped: SIGTERM arrived; all work is kept.
        """
        self._saved_at = time.monotonic()
        self.meter.start()
        while self._goes_on():
            for batch in self._load_phase():
                self._learn(batch)
                self._follow_up()
                if not self._goes_on():
                    break
        if self.ranks.is_first:
            self.save()

    def restore(self, state: TrainState) -> None:
        """Go on from a state.

        Raises:
            BadInput: It belongs to another job.
        """
        if state.facts["job"] != self.job:
            raise BadInput(f"{self.folder} holds the state of another job; use a new folder")
        self.done = state.step
        self.learner.restore(state.groups)
        self.selection.restore(state.groups, state.facts["selection"])
        self.meter.restore(state.facts["meter"], step=state.step)
        if self.trainee.second_phase:
            self.trainee.second_phase.status = state.facts["second_phase"]

    def save(self) -> None:
        """Keep all that a resume needs."""
        self.meter.settle(step=self.done)
        arrays, selection = self.selection.state()
        phase = self.trainee.second_phase
        facts = {
            "job": self.job,
            "meter": self.meter.state(),
            "selection": selection,
            "second_phase": phase.status if phase else "off",
        }
        groups = self.learner.state() | arrays
        save_state(self.folder, TrainState(step=self.done, groups=groups, facts=facts))
        self._saved_at = time.monotonic()

    def _goes_on(self) -> bool:
        return self.done < self.steps and not self.selection.is_over

    def _load_phase(self) -> Iterator[Batch]:
        """Load up to where the second phase starts, or to the end."""
        end, phase = self.steps, self.trainee.second_phase
        if phase and phase.status == "pending":
            if self.done < phase.start_step:
                end = phase.start_step
            else:
                self._start(phase)
        steps = range(self.done, end)
        return load_ahead(self.trainee.batches(), steps, threads=self.loader_threads)

    def _start(self, phase: SecondPhase) -> None:
        """Build the second phase on the first rank while the others wait, and use it on all."""
        refusal = ""
        if self.ranks.is_first:
            average = self.selection.average.weights or read_weights(self.learner.net)
            net = self.selection.net(average)
            with self.watchdog.paused():
                refusal = phase.build(net)
        if self.ranks.share(int(not refusal)):
            phase.status = "running"
        else:
            phase.status = "refused"
            self.log.write("notice", step=self.done, message=refusal)

    def _learn(self, batch: Batch) -> None:
        loss = self.learner.learn(
            batch,
            step=self.done,
            learning_rate=self._learning_rate(self.done),
            seed=_dropout_seed(self.training.seed, self.ranks.rank, self.done),
        )
        self.done += 1
        self.meter.note(loss, images=len(batch.images))
        self.watchdog.beat()

    def _follow_up(self) -> None:
        """All that may follow a step, in an order that a resume can rely on."""
        is_last = self.done == self.steps
        if self.ranks.is_first:
            self.selection.average.follow(self.learner.net, step=self.done, last=is_last)
        if is_last or self.done % log_interval(self.steps) == 0:
            self.meter.report(step=self.done, learning_rate=self._learning_rate(self.done - 1))
        if is_evaluation(self.done - 1, steps=self.steps, evaluations=self.training.evaluations):
            self._validate()
        if self.ranks.is_first:
            self._save_if_due()

    def _validate(self) -> None:
        if self.ranks.is_first:
            self.meter.settle(step=self.done)
            validation = self.selection.validate()
            self.log.write("validation", step=self.done, **validation.metrics)
        self.selection.is_over = bool(self.ranks.share(int(self.selection.is_over)))
        self._compare_ranks()

    def _compare_ranks(self) -> None:
        """Equal gradients keep the weights of all ranks equal to the last bit."""
        checksum = self.learner.checksum() if self.ranks.count > 1 else 0
        if self.ranks.share(checksum) != checksum:
            raise TrainingFailed(
                f"At step {self.done} the weights of rank {self.ranks.rank} are not those of rank 0"
            )

    def _save_if_due(self) -> None:
        wants_out = self.stop.at is not None
        if wants_out or time.monotonic() - self._saved_at >= self.training.checkpoint_every_s:
            self.save()
        if wants_out:
            raise Stopped(f"Stopped at step {self.done} of {self.steps}; run again to go on")

    def _learning_rate(self, step: int) -> float:
        return learning_rate(
            step,
            steps=self.steps,
            peak=self.training.learning_rate,
            warmup_steps=self.training.warmup_steps,
        )


def _dropout_seed(seed: int, rank: int, step: int) -> int:
    return int(np.random.SeedSequence([seed, rank, step]).generate_state(1)[0])

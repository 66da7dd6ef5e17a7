"""The loop of one rank: learn, report, validate, keep."""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from configs.training import LoopParams
from ocr.errors import TrainingFailed
from training.loop.checkpoint import read_weights
from training.loop.guards import SKIPPED_STEPS, LossCheck, Stopped, Watchdog
from training.loop.learner import Learner
from training.loop.loading import load_ahead
from training.loop.meter import Meter
from training.loop.progress import MetricsLog
from training.loop.ranks import Ranks
from training.loop.schedule import is_evaluation, learning_rate, log_interval
from training.loop.selection import Selection
from training.loop.state import TrainState, load_state, save_state
from training.loop.trainee import Batch, SecondPhase, Trainee


class TrainingLoop:
    """One rank's part of a training that can be killed at any moment and go on.

    Everything random is a function of seed, rank and step; everything else is in the state, which
    is the same for all ranks, so that the first one keeps it for all.
    """

    def __init__(
        self,
        training: LoopParams,
        trainee: Trainee,
        *,
        folder: Path,
        ranks: Ranks,
        watchdog: Watchdog,
        loader_threads: int,
    ) -> None:
        """Put the parts together, in the state that an earlier run left in the folder.

        Args:
            training: How to train.
            trainee: What is trained.
            folder: The job's folder.
            ranks: This rank among the others.
            watchdog: Gets a beat per step, and knows whether to stop.
            loader_threads: Threads that make batches in the background.
        """
        self.trainee = trainee
        self._steps = trainee.steps
        self._training = training
        self._folder = folder
        self._ranks = ranks
        self._watchdog = watchdog
        self._loader_threads = loader_threads
        self._learner = Learner(
            trainee,
            seed=training.seed,
            weight_decay=training.weight_decay,
            clip_norm=training.clip_norm,
            amp=training.amp,
            parallel=ranks.count > 1,
        )
        self.selection = Selection(trainee, decay=training.ema_decay, patience=training.patience)
        state = load_state(folder)
        self._done = state.step if state else 0
        self._log = MetricsLog(folder if ranks.is_first else None, done=self._done)
        check = LossCheck(skips=SKIPPED_STEPS if self._learner.skips_overflows else 0)
        self.meter = Meter(ranks=ranks, steps=trainee.steps, log=self._log, check=check)
        self._saved_at = time.monotonic()
        if state:
            self._restore(state)

    def run(self) -> None:
        """Train to the end, or until patience is exhausted.

        Raises:
            TrainingFailed: The loss is no number, a checkpoint cannot be written, or the ranks
                have drifted apart.
            Stopped: SIGTERM arrived; all work is kept.
        """
        self.meter.start()
        while self._goes_on():
            for batch in self._load_phase():
                self._learn(batch)
                self._follow_up()
                if not self._goes_on():
                    break
        if self._ranks.is_first:
            self._save()

    def _goes_on(self) -> bool:
        return self._done < self._steps and not self.selection.is_over

    def _load_phase(self) -> Iterator[Batch]:
        """Load up to where the second phase starts, or to the end."""
        end, phase = self._steps, self.trainee.second_phase
        if phase and phase.status == "pending":
            if self._done < phase.start_step:
                end = phase.start_step
            else:
                self._start(phase)
        steps = range(self._done, end)
        return load_ahead(self.trainee.batches(), steps, threads=self._loader_threads)

    def _start(self, phase: SecondPhase) -> None:
        """Build the second phase on the first rank while the others wait, and use it on all."""
        refusal = ""
        if self._ranks.is_first:
            average = self.selection.average.weights or read_weights(self._learner.net)
            net = self.selection.net(average)
            with self._watchdog.paused():
                refusal = phase.build(net)
        if self._ranks.share(int(not refusal)):
            phase.status = "running"
        else:
            phase.status = "refused"
            self._log.write("notice", step=self._done, message=refusal)

    def _learn(self, batch: Batch) -> None:
        loss = self._learner.learn(
            batch,
            step=self._done,
            learning_rate=self._learning_rate(self._done),
            seed=_dropout_seed(self._training.seed, self._ranks.rank, self._done),
        )
        self._done += 1
        self.meter.note(self._ranks.mean(loss), images=len(batch.images))
        self._watchdog.beat()

    def _follow_up(self) -> None:
        """All that may follow a step, in an order that a resume can rely on."""
        is_last = self._done == self._steps
        if self._ranks.is_first:
            self.selection.average.follow(self._learner.net, step=self._done, last=is_last)
        if is_last or self._done % log_interval(self._steps) == 0:
            self.meter.report(step=self._done, learning_rate=self._learning_rate(self._done - 1))
        if is_evaluation(self._done - 1, steps=self._steps, evaluations=self._training.evaluations):
            self._validate()
        if self._ranks.is_first:
            self._save_if_due()

    def _validate(self) -> None:
        if self._ranks.is_first:
            self.meter.settle(step=self._done)
            validation = self.selection.validate()
            self._log.write("validation", step=self._done, **validation.metrics)
        self.selection.is_over = bool(self._ranks.share(int(self.selection.is_over)))
        self._compare_ranks()

    def _compare_ranks(self) -> None:
        """Refuse to go on apart: equal gradients keep the weights of all ranks equal to the bit."""
        checksum = self._learner.checksum() if self._ranks.count > 1 else 0
        if self._ranks.share(checksum) != checksum:
            raise TrainingFailed(
                f"At step {self._done} the weights of rank {self._ranks.rank} "
                "are not those of rank 0"
            )

    def _save_if_due(self) -> None:
        wants_out = self._watchdog.asked_to_stop
        if wants_out or time.monotonic() - self._saved_at >= self._training.checkpoint_every_s:
            self._save()
        if wants_out:
            raise Stopped(f"Stopped at step {self._done} of {self._steps}; run again to go on")

    def _restore(self, state: TrainState) -> None:
        self._learner.restore(state.groups)
        self.selection.restore(state.groups, state.facts["selection"])
        self.meter.restore(state.facts["meter"], step=state.step)
        if self.trainee.second_phase:
            self.trainee.second_phase.status = state.facts["second_phase"]

    def _save(self) -> None:
        self.meter.settle(step=self._done)
        arrays, selection = self.selection.state()
        phase = self.trainee.second_phase
        facts = {
            "meter": self.meter.state(),
            "selection": selection,
            "second_phase": phase.status if phase else "off",
        }
        groups = self._learner.state() | arrays
        save_state(self._folder, TrainState(step=self._done, groups=groups, facts=facts))
        self._saved_at = time.monotonic()

    def _learning_rate(self, step: int) -> float:
        return learning_rate(
            step,
            steps=self._steps,
            peak=self._training.learning_rate,
            warmup_steps=self._training.warmup_steps,
        )


def _dropout_seed(seed: int, rank: int, step: int) -> int:
    return int(np.random.SeedSequence([seed, rank, step]).generate_state(1)[0])

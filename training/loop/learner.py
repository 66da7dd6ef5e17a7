"""Net and optimizer: one step of gradient descent, and their state."""

import math
import zlib
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

import numpy as np
import paddle
from paddle import nn

from training.loop.checkpoint import Arrays, load_weights, read_weights, to_host
from training.loop.trainee import Batch, Trainee

Amp = Literal["off", "O1", "O2"]


class Learner:
    """A net under training; with several ranks, gradients are averaged over them.

    Weights and moments are float32 whatever `amp` says, which casts them at each use: they are
    small beside the activations, and what is averaged and kept needs all its digits.
    """

    def __init__(
        self,
        trainee: Trainee,
        *,
        seed: int,
        weight_decay: float,
        clip_norm: float,
        amp: Amp,
        parallel: bool,
    ) -> None:
        paddle.seed(seed)
        self.net = trainee.build_net()
        self._loss = trainee.loss
        # bfloat16 where there is one: float16 made PP-OCR's losses NaN.
        self._dtype = "bfloat16" if paddle.amp.is_bfloat16_supported() else "float16"
        self._amp = amp
        self._optimizer = paddle.optimizer.AdamW(
            parameters=self.net.parameters(),
            weight_decay=weight_decay,
            apply_decay_param_fun={
                p.name for p in self.net.parameters() if p.ndim > 1
            }.__contains__,
            grad_clip=nn.ClipGradByGlobalNorm(clip_norm),
        )
        self._scaler = paddle.amp.GradScaler(enable=amp != "off" and self._dtype == "float16")
        self._parallel = paddle.DataParallel(self.net) if parallel else self.net
        self.net.train()

    @property
    def skips_overflows(self) -> bool:
        """Whether a step whose gradients overflow is skipped and the loss scale lowered."""
        return bool(self._scaler.is_enable())

    def learn(self, batch: Batch, *, step: int, learning_rate: float, seed: int) -> Any:
        """Take one step and return its loss to report, still on the device.

        Args:
            batch: What to learn.
            step: Number of this step, from 0.
            learning_rate: Learning rate of this step.
            seed: Seed of this step's dropout.
        """
        paddle.seed(seed)
        self._optimizer.set_lr(learning_rate)
        statistics = [each.clone() for each in self._statistics()]
        with self._precision():
            outputs = self._parallel(paddle.to_tensor(batch.images))
        loss, reported = self._loss(outputs, batch, step=step)
        with paddle.utils.unique_name.guard():  # names of the moments, the same in every process
            self._scaler.scale(loss).backward()
            self._scaler.step(self._optimizer)
            self._scaler.update()
        self._optimizer.clear_grad()
        if statistics and not math.isfinite(float(loss)):
            for each, before in zip(self._statistics(), statistics, strict=True):
                each.set_value(before)
        return reported

    def _statistics(self) -> list[Any]:
        """Return the running statistics, which an overflow would spoil for good."""
        if not self.skips_overflows:
            return []
        return [parameter for parameter in self.net.parameters() if not parameter.trainable]

    def checksum(self) -> int:
        """Return a checksum of the learnt weights; running statistics differ between ranks."""
        checksum = 0
        for parameter in self.net.parameters():
            if parameter.trainable:
                checksum = zlib.crc32(parameter.astype("float32").numpy().tobytes(), checksum)
        return checksum

    def state(self) -> dict[str, Arrays]:
        """Copy the weights, moments and loss scale to host memory."""
        moments: Arrays = {}
        for name, value in self._optimizer.state_dict().items():
            if isinstance(value, paddle.Tensor):
                moments[name] = to_host(value)
        scaler = {name: np.asarray(value) for name, value in self._scaler.state_dict().items()}
        return {"net": read_weights(self.net), "optimizer": moments, "scaler": scaler}

    def restore(self, groups: dict[str, Arrays]) -> None:
        """Go back to a state.

        Raises:
            BadData: The state is of another net.
        """
        load_weights(self.net, groups["net"])
        moments = groups["optimizer"].items()
        self._optimizer.set_state_dict({name: paddle.to_tensor(value) for name, value in moments})
        if groups.get("scaler"):
            scaler = groups["scaler"].items()
            self._scaler.load_state_dict(
                {name: value if value.ndim else value.item() for name, value in scaler}
            )

    def _precision(self) -> AbstractContextManager[Any]:
        if self._amp == "off":
            return nullcontext()
        context: AbstractContextManager[Any] = paddle.amp.auto_cast(
            level=self._amp, dtype=self._dtype
        )
        return context

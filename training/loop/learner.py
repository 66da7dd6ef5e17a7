"""Net and optimizer: one step of gradient descent, and their state."""

import zlib
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Literal

import numpy as np
import paddle
from paddle import nn

from training.loop.checkpoint import Arrays, load_weights, read_weights
from training.loop.trainee import Batch, Trainee

Amp = Literal["off", "O1", "O2"]


class Learner:
    """A net under training; with several ranks, gradients are averaged over them."""

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
        if amp == "O2":
            self.net, self._optimizer = paddle.amp.decorate(
                models=self.net, optimizers=self._optimizer, level="O2", dtype=self._dtype
            )
        self._scaler = paddle.amp.GradScaler(enable=amp != "off" and self._dtype == "float16")
        self._parallel = paddle.DataParallel(self.net) if parallel else self.net
        self.net.train()

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
        with self._precision():
            outputs = self._parallel(paddle.to_tensor(batch.images))
        loss, reported = self._loss(outputs, batch, step=step)
        with paddle.utils.unique_name.guard():  # names of the moments, the same in every process
            if self._scaler.is_enable():
                self._scaler.scale(loss).backward()
                self._scaler.step(self._optimizer)
                self._scaler.update()
            else:
                loss.backward()
                self._optimizer.step()
        self._optimizer.clear_grad()
        return reported

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
                moments[name] = _to_host(value)
            elif name == "master_weights":
                moments |= {f"{name}/{key}": _to_host(each) for key, each in value.items()}
        scaler = {name: np.asarray(value) for name, value in self._scaler.state_dict().items()}
        return {"net": read_weights(self.net), "optimizer": moments, "scaler": scaler}

    def restore(self, groups: dict[str, Arrays]) -> None:
        """Go back to a state.

        Raises:
            BadData: The state is of another net.
        """
        load_weights(self.net, groups["net"])
        state: dict[str, Any] = {}
        for name, value in groups["optimizer"].items():
            group, _, key = name.partition("/")
            if key:
                state.setdefault(group, {})[key] = paddle.to_tensor(value)
            else:
                state[name] = paddle.to_tensor(value)
        self._optimizer.set_state_dict(state)
        if groups.get("scaler"):
            self._scaler.load_state_dict(
                {name: value.item() for name, value in groups["scaler"].items()}
            )

    def _precision(self) -> AbstractContextManager[Any]:
        if self._amp == "off":
            return nullcontext()
        context: AbstractContextManager[Any] = paddle.amp.auto_cast(
            level=self._amp, dtype=self._dtype
        )
        return context


def _to_host(value: Any) -> Any:
    # A copy: on a CPU, numpy() shares the tensor's memory.
    return np.array(value.astype("float32").numpy())

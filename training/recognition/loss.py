"""The loss: CTC per character, and early in a run a guide at expected character centres."""

import paddle
import paddle.nn.functional as F

from training.loop.trainee import Tensor
from training.recognition.batches import CropBatch

CTC_SCALE = 7.0
"""The recipes were tuned on the CTC loss of whole texts of seven characters."""


def recognition_loss(logits: Tensor, batch: CropBatch, *, guide: float) -> tuple[Tensor, Tensor]:
    """Return the loss to descend and, detached, CTC's nats per character.

    Plain CTC sits on a plateau of blanks for long; naming one frame of each character lifts it
    off.

    Args:
        logits: (N, T, C).
        batch: What the logits should read.
        guide: Weight of the cross-entropy at the expected centres.
    """
    logits = logits.astype("float32")
    ctc = ctc_per_character(logits, batch)
    if not guide:
        return CTC_SCALE * ctc, ctc.detach()
    frames = logits.flatten(0, 1).gather(paddle.to_tensor(batch.guide_frames))
    entropy = F.cross_entropy(frames, paddle.to_tensor(batch.guide_labels))
    return CTC_SCALE * ctc + guide * entropy, ctc.detach()


def guide_weight(step: int, *, steps: int, weight: float, share: float) -> float:
    """Fall linearly from `weight` to 0 over the first `share` of the run."""
    return max(0.0, weight * (1 - step / (steps * share))) if share else 0.0


def ctc_per_character(logits: Tensor, batch: CropBatch) -> Tensor:
    """Return the CTC loss summed over a batch, per character of its texts."""
    losses = F.ctc_loss(
        logits.transpose([1, 0, 2]),
        paddle.to_tensor(batch.labels),
        paddle.to_tensor(batch.frame_lengths),
        paddle.to_tensor(batch.label_lengths),
        reduction="none",
    )
    return losses.sum() / float(batch.label_lengths.sum())

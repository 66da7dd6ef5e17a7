"""The loss of a kernel map: cross-entropy and dice, one to one."""

import paddle.nn.functional as F

from training.loop.trainee import Tensor


def detection_loss(logits: Tensor, kernels: Tensor, mask: Tensor) -> Tensor:
    """Return the loss of logits (N, 1, h, w) against kernels where the mask is 1."""
    logits = logits.astype("float32")
    entropy = F.binary_cross_entropy_with_logits(logits, kernels, reduction="none") * mask
    probabilities, wanted = F.sigmoid(logits) * mask, kernels * mask
    shared = (probabilities * wanted).sum()
    dice = 1 - 2 * shared / (probabilities.sum() + wanted.sum() + 1e-6)
    return entropy.sum() / mask.sum().clip(min=1.0) + dice

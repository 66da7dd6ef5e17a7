"""The guide of the recogniser's loss."""

import pytest

from training.recognition.loss import guide_weight


def test_the_guide_falls_to_nothing() -> None:
    assert guide_weight(0, steps=100, weight=6, share=0.4) == 6
    assert guide_weight(20, steps=100, weight=6, share=0.4) == pytest.approx(3)
    assert guide_weight(40, steps=100, weight=6, share=0.4) == 0
    assert guide_weight(0, steps=100, weight=6, share=0) == 0

"""Where the characters of a crop are expected."""

import numpy as np
import pytest

from training.recognition.source import expected_centres


def test_expected_centres_are_even_or_follow_the_widths_of_letters() -> None:
    even = expected_centres("WiW", proportional=False)
    rough = expected_centres("WiW", proportional=True)

    np.testing.assert_allclose(even, [1 / 6, 1 / 2, 5 / 6])
    assert rough[1] == pytest.approx(0.5)
    assert rough[0] > even[0]

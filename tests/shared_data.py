"""Real data of the house, where it lies beside the checkout; tests that need it skip otherwise."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PLATES = SHARED / "plates"

needs_plates = pytest.mark.skipif(
    not (PLATES / "rec_test.txt").is_file(), reason=f"no real plates beside the checkout: {PLATES}"
)

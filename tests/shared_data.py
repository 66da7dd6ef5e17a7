"""Real data of the house, where it lies beside the checkout; tests that need it skip otherwise."""

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
PLATES = SHARED / "plates"
RECEIPTS = SHARED / "receipts"

needs_plates = pytest.mark.skipif(
    not (PLATES / "rec_test.txt").is_file(), reason=f"no real plates beside the checkout: {PLATES}"
)
needs_receipts = pytest.mark.skipif(
    not (RECEIPTS / "det_test.txt").is_file(),
    reason=f"no real receipts beside the checkout: {RECEIPTS}",
)

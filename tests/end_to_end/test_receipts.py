"""Where a longer training on real receipts goes; the preset's own ends within 45 minutes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Machine, new_machine
from tests.shared_data import RECEIPTS, needs_receipts

HOURS_S = 3 * 3600
LONGER = ("detector.epochs=30", "recogniser.epochs=34")


@pytest.fixture
def receipts(tmp_path: Path) -> Iterator[Machine]:
    """A machine on which nothing has run yet."""
    with new_machine(tmp_path, preset="receipts", timeout_s=HOURS_S) as machine:
        yield machine


@needs_receipts
@pytest.mark.slow
@pytest.mark.timeout(HOURS_S)
def test_a_longer_training_beats_the_model_off_the_shelf_on_unseen_receipts(
    receipts: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    run = receipts.retrain(f"dataset.root={RECEIPTS}", *LONGER)

    assert run.json["verdict"] == "promote", run.err
    labels = str(RECEIPTS / "det_test.txt")
    measured = receipts.run("evaluate", "--model", "receipts", "--labels", labels, "--json").json
    with capsys.disabled():
        print(f"\nreceipts, {' '.join(LONGER)}: {measured}")  # noqa: T201 - where it goes
    assert measured["hmean"] >= 0.95
    assert measured["e2e_hmean"] >= 0.82

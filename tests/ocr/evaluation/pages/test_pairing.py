"""Two evaluations that were made apart say the same side by side as one of both."""

from ocr.evaluation.pages.evaluate import pair_pages
from tests.ocr.evaluation.pages.scenes import (
    ScriptedReader,
    evaluate_scripted,
    label_pages,
    read_receipt,
    receipt,
)


def test_what_was_read_apart_is_compared_as_what_was_read_together() -> None:
    samples = label_pages([receipt(number) for number in range(12)])
    ours = ScriptedReader("receipts:new", lambda number: read_receipt(number, wrong=number % 3))
    theirs = ScriptedReader("receipts:old", lambda number: read_receipt(number, missed=number % 2))
    together = evaluate_scripted(candidate=ours, opponent=theirs, samples=samples)
    alone = evaluate_scripted(candidate=ours, opponent=None, samples=samples)
    champion = evaluate_scripted(candidate=theirs, opponent=None, samples=samples)

    assert pair_pages(alone, champion) == together
    assert together.comparison is not None

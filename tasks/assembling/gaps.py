"""Where lines end that a pipeline's detector takes for one."""

from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.evaluation.pages.gaps.gain import GapGain, fit_gap_model
from ocr.reading.page_reader import PageReader
from ocr.reading.recognition.recogniser import Recogniser
from tasks.run.narration import narrate


def weigh_gaps(reader: PageReader, recogniser: Recogniser, pages: PageSnapshot) -> GapGain | None:
    """Learn where lines end, and say what it changes to part them there.

    Args:
        reader: The detector and the recogniser, parting nothing.
        recogniser: The recogniser alone.
        pages: To learn from and to measure on.
    """
    found = fit_gap_model(reader, recogniser, pages)
    if found is None:
        narrate(
            "export",
            "no two labelled lines are read beside each other, or there are no validation pages: "
            "no line will be parted",
        )
        return None
    change = found.gain.change
    narrate(
        "export",
        f"lines parted above {found.model.cut_above:.0%}, learnt from {found.examples} gaps: "
        f"end-to-end Hmean of the validation pages {found.gain.hmean:.4f} without, "
        f"{change.value:+.4f} ({change.lower:+.4f} to {change.upper:+.4f}) with"
        + ("" if found.gain.pays else "; left out, as it does not help"),
    )
    return found

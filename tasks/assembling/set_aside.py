"""Which lines of pages a pipeline sets aside, as they are rather no text."""

from ocr.dataset.pages.snapshot import PageSnapshot
from ocr.evaluation.pages.set_aside import SetAsideGain, choose_min_confidence
from ocr.reading.page_reader import PageReader
from tasks.run.narration import narrate


def weigh_set_aside(reader: PageReader, pages: PageSnapshot) -> SetAsideGain | None:
    """Choose below which confidence lines are set aside, and say what that changes.

    Args:
        reader: The pipeline, setting nothing aside.
        pages: To measure on.
    """
    found = choose_min_confidence(reader, pages)
    if found is None:
        narrate(
            "export",
            "no line will be set aside: at any confidence pages are found worse, or there are none",
        )
        return None
    change = found.gain.change
    narrate(
        "export",
        f"lines below a confidence of {found.min_confidence:.0%} set aside: "
        f"end-to-end Hmean of the validation pages {found.gain.hmean:.4f} without, "
        f"{change.value:+.4f} ({change.lower:+.4f} to {change.upper:+.4f}) with"
        + ("" if found.gain.pays else "; none is, as it does not help"),
    )
    return found

"""What an accepted text looks like."""

from ocr.dataset.labels.encoding import ILLEGIBLE
from ocr.dataset.labels.hidden import find_hidden
from ocr.dataset.lines.limits import LineLimits
from ocr.dataset.quarantine import Fault
from ocr.models.charset import Charset

_SPACE_ADVICE = "; add a line with one space to it, which PaddleOCR's use_space_char stands for"


def find_text_fault(text: str, *, limits: LineLimits, charset: Charset | None) -> Fault | None:
    """Find what is wrong with a text; None when nothing is.

    Args:
        text: Stripped of surrounding white space.
        limits: The longest text, and whether marks of illegible text are learnt.
        charset: The only characters allowed; None: any.
    """
    if not text:
        return Fault("empty_text", "no text")
    if text in ILLEGIBLE and not limits.allow_illegible:
        detail = f"{text!r} marks a text that nobody could read; limits.allow_illegible learns it"
        return Fault("illegible", detail)
    if len(text) > limits.max_text_length:
        return Fault(
            "text_too_long", f"{len(text)} characters, allowed are {limits.max_text_length}"
        )
    if hidden := find_hidden(text):
        return hidden
    if charset is not None and (unknown := charset.unknown(text)):
        detail = f"{''.join(unknown)!r} is not in the charset"
        return Fault("unknown_character", detail + (_SPACE_ADVICE if " " in unknown else ""))
    return None

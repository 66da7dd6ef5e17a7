"""Two evaluations that were made apart say the same side by side as one of both."""

from ocr.evaluation.lines.evaluate import pair_lines
from tests.ocr.evaluation.lines.scenes import ScriptedRecogniser, evaluate_scripted, lines

TEXTS = [f"{number:04}" for number in range(60)]


def misreading(every: int, *, name: str) -> ScriptedRecogniser:
    def answer(number: int) -> tuple[str, float]:
        return ("????", 0.4) if number % every == 0 else (TEXTS[number], 0.9)

    return ScriptedRecogniser(name=name, answer=answer)


def test_what_was_read_apart_is_compared_as_what_was_read_together() -> None:
    ours, theirs = misreading(10, name="plates:new"), misreading(3, name="plates:old")
    together = evaluate_scripted(candidate=ours, opponent=theirs, samples=lines(TEXTS))
    alone = evaluate_scripted(candidate=ours, opponent=None, samples=lines(TEXTS))
    champion = evaluate_scripted(candidate=theirs, opponent=None, samples=lines(TEXTS))

    assert pair_lines(alone, champion) == together
    assert together.comparison is not None

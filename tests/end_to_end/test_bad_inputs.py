"""Every bad input gets the answer it should; the table is a command of its own."""

from tests.end_to_end.bad_inputs import try_all


def test_every_bad_input_gets_its_answer() -> None:
    outcomes = list(try_all())

    wrong = [
        f"{o.case}: expected {o.expected!r}, got {o.got!r}" for o in outcomes if not o.is_right
    ]
    assert len(outcomes) >= 25
    assert not wrong, "\n".join(wrong)

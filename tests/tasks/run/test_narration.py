import pytest

from tasks.run.narration import narrate


def test_what_is_said_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    narrate("judge", "[bold]plates:new: read")

    assert capsys.readouterr().err.endswith("  [bold]plates:new: read\n")

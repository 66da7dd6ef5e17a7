"""What a command prints: texts as they are, never as markup."""

import pytest

from cli.output import print_table, refuse


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")


@pytest.mark.parametrize("text", ["AB[a1]C", "[/]", ":car:", "[bold]7"])
def test_a_table_prints_texts_as_they_are(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_table(f"title {text}", ["text"], [[f"cell {text}"]])

    out = capsys.readouterr().out
    assert f"title {text}" in out
    assert f"cell {text}" in out


def test_an_error_prints_texts_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    code = refuse("no folder /data/[a1]/:car:", 3)

    assert code == 3
    assert capsys.readouterr().err == "error: no folder /data/[a1]/:car:\n"

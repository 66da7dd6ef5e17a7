"""What a command prints: texts as they are, never as markup."""

import json
import os
import subprocess
import sys

import pytest

from cli.output import print_json, print_table, refuse, tell
from tasks.run.narration import narrate


@pytest.mark.parametrize("text", ["AB[a1]C", "[/]", ":car:", "[bold]7"])
def test_a_table_prints_texts_as_they_are(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    print_table(f"title {text}", ["text"], [[f"cell {text}"]])

    out = capsys.readouterr().out
    assert f"title {text}" in out
    assert f"cell {text}" in out


def test_where_no_terminal_is_a_name_stands_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = ["receipts-accurate-recogniser:" + "0" * 200] * 2

    print_table("parts", ["first", "second"], [names])

    (row,) = [line for line in capsys.readouterr().out.splitlines() if "receipts" in line]
    assert row.count(names[0]) == 2


def test_machines_are_told_names_that_are_no_utf8(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": "r\udce9sum\udce9.pdf"})

    assert json.loads(capsys.readouterr().out) == {"name": "r\udce9sum\udce9.pdf"}


def test_a_command_starts_without_standard_output() -> None:
    shell = ["sh", "-c", 'exec "$0" -c "import cli.output" >&-', sys.executable]

    assert subprocess.run(shell, check=False).returncode == 0


def test_an_error_prints_texts_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    code = refuse("no folder /data/[a1]/:car:", 3)

    assert code == 3
    assert capsys.readouterr().err == "error: no folder /data/[a1]/:car:\n"


def test_a_backslash_at_the_end_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    refuse("no folder C:\\", 2)
    print_table("names", ["name"], [["a\\"]])

    out, err = capsys.readouterr()
    assert err == "error: no folder C:\\\n"
    assert out.count("\\") == 1


def test_no_line_of_a_name_passes_for_one_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    tell("left out", "a\nerror: no champion.png: unreadable")

    assert capsys.readouterr().err == "left out a\n  error: no champion.png: unreadable\n"


STEERING = "\x1b[2J\x1b]0;title\x07 \x9b31m \r\x08 \x7f \u202e\u2066\u2028"
SHOWN = r"\x1b[2J\x1b]0;title\x07 \x9b31m \r\x08 \x7f \u202e\u2066\u2028"


def test_nothing_that_is_printed_steers_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    """Such as the reason of a promotion, which anybody may write who may promote."""
    print_table(STEERING, ["reason"], [[f"better{STEERING}"]])
    refuse(STEERING, 2)
    narrate("deploy", STEERING)

    out, err = capfd.readouterr()
    assert (out.count(SHOWN), err.count(SHOWN)) == (2, 2)
    assert not set(STEERING) - {*" [];0123456789tileJm"} & set(out + err)


@pytest.mark.parametrize("encoding", ["utf-8:strict", "utf-8:surrogateescape"])
def test_what_of_a_name_is_no_utf8_is_shown(encoding: str) -> None:
    code = "from cli.output import print_table; print_table('\\udce9', ['name'], [['r\\udce9s']])"

    said = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        stdout=subprocess.PIPE,
        check=True,
    ).stdout.decode()

    assert r"│ r\udce9s │" in said


def test_json_has_no_control_characters_either(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"reason": "\x1b\x7f\x9b31m李伟"})

    out = capsys.readouterr().out
    assert out == '{"reason": "\\u001b\\u007f\\u009b31m李伟"}\n'
    assert json.loads(out) == {"reason": "\x1b\x7f\x9b31m李伟"}


def test_prefect_says_nothing_in_a_terminal_that_hears_the_stages() -> None:
    """Nor where its server is away: each of its own services would say so each half minute."""
    script = """
import logging
from cli.output import keep_prefect_silent
keep_prefect_silent()
import prefect.main
logging.getLogger("prefect._internal.concurrency").error("away")
logging.getLogger("prefect.client").error("away")
"""
    silent = {key: value for key, value in os.environ.items() if not key.startswith("PREFECT_")}

    said = subprocess.run(
        [sys.executable, "-c", script], env=silent, capture_output=True, check=True, text=True
    )

    assert said.stdout + said.stderr == ""

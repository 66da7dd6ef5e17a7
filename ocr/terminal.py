"""What people read in a terminal, in which nothing that is printed steers it."""

import sys
from typing import Any

from rich.console import Console
from rich.text import Text

_DIRECTIONS = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
"""They turn what follows around."""
_CONTROLS = [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *_DIRECTIONS]
_NO_TEXT = range(0xD800, 0xE000)
"""Halves of characters, as which Python reads what of a file's name is no UTF-8."""
_SHOWN = {
    code: ascii(chr(code))[1:-1] for code in (*_CONTROLS, *_NO_TEXT) if chr(code) not in "\t\n"
}
_UNSEEN_WIDTH = 1 << 16


class Terminal(Console):
    """Standard output or error: what a file or a person elsewhere wrote is shown, never obeyed.

    A reason or a name with an escape sequence could otherwise hide what stands above it, or write
    something else in its place. A pipe or a file has no width: nobody finds a name there that is
    broken in two. No emoji: a text such as :car: is what was read, not a picture.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        stream = sys.stderr if stderr else sys.stdout  # None: the process began without one
        width = None if stream and stream.isatty() else _UNSEEN_WIDTH
        super().__init__(stderr=stderr, highlight=False, emoji=False, width=width)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return what is printed for a string, also one in a table."""
        return super().render_str(text.translate(_SHOWN), **options)

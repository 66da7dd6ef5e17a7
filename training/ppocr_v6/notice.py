"""What the license of PP-OCRv6's weights wants to be said by every bundle made of them."""

from pathlib import Path

LICENSE = Path(__file__).parent / "APACHE-2.0.txt"
RULE = f"\n{'-' * 98}\n\n"


def write_notice(path: Path, *, changes: Path) -> None:
    """Write a file that says what the weights were and how they changed, then the license."""
    parts = (each.read_text(encoding="utf-8") for each in (changes, LICENSE))
    path.write_text(RULE.join(parts), encoding="utf-8")

"""The gateway's process: ``python -m serving`` (its settings are environment variables)."""

import sys

from ocr.errors import OcrError
from serving.app import run
from serving.settings import read_settings


def main() -> int:
    """Serve until stopped; wrong settings are one line and exit code 2."""
    try:
        run(read_settings())
    except OcrError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())

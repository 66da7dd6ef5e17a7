"""The gateway's process: ``python -m serving`` (its settings are environment variables)."""

import sys

from configs.settings import SettingsError, tell_of_home
from ocr.errors import OcrError
from serving.app import run
from serving.settings import ServingSettings


def main() -> int:
    """Serve until stopped; wrong settings are one line and exit code 2."""
    try:
        run(ServingSettings())
    except (OcrError, SettingsError) as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_code
    except OSError as error:
        if not (said := tell_of_home(error)):
            raise
        sys.stderr.write(f"error: {said}\n")
        return SettingsError.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())

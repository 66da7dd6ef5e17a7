"""How a machine is asked: its programs, environment, /proc and /dev, disks, packages and clock."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ANSWER_S = 30
"""nvidia-smi takes seconds per GPU where nothing keeps the driver loaded."""


@dataclass(frozen=True)
class Answer:
    """What a program said; `exit_code` None: it did not end in time."""

    exit_code: int | None
    output: str
    errors: str

    @property
    def said(self) -> str:
        """Its last line, of the errors if there are any."""
        lines = (self.errors.strip() or self.output.strip()).splitlines()
        return lines[-1].strip() if lines else "nothing"


def _free_bytes(path: Path) -> int:
    return shutil.disk_usage(path).free


@dataclass(frozen=True)
class Machine:
    """All that is looked at, so that another machine can stand here in its place.

    Attributes:
        environment: Variables; programs are found on its PATH.
        root: Where /proc, /dev and /run stand.
        packages: Folders with installed packages, as in sys.path.
        python: The interpreter that trains.
        lock: File of the versions we were tested with.
        setup: The command that installs them.
        free_bytes: Says what is free on the disk of a folder.
        now: The wall clock (epoch, s).
        answer_s: How long a program may take to answer.
    """

    environment: Mapping[str, str]
    root: Path = Path("/")
    packages: tuple[Path, ...] = ()
    python: str = sys.executable
    lock: Path = Path(__file__).parents[2] / "requirements.lock"
    setup: str = "make setup"
    free_bytes: Callable[[Path], int] = _free_bytes
    now: Callable[[], float] = time.time
    answer_s: float = ANSWER_S

    @classmethod
    def here(cls) -> "Machine":
        """Return the machine of this process."""
        folders = tuple(Path(folder) for folder in sys.path if folder)
        return cls(environment=dict(os.environ), packages=folders)

    @property
    def in_container(self) -> bool:
        """Whether it is a container, and its kernel's machine another one."""
        files = (".dockerenv", "run/.containerenv")
        return any(self.has(file) for file in files) or self.has("run/secrets/kubernetes.io")

    def find(self, program: str) -> str:
        """Return the path of a program; empty where it is not on PATH."""
        return shutil.which(program, path=self.environment.get("PATH", "")) or ""

    def ask(self, *command: str, timeout_s: float = 0) -> Answer | None:
        """Run a program to its end, or for `timeout_s` (0: `answer_s`); None: there is no such."""
        timeout_s = timeout_s or self.answer_s
        program = self.find(command[0])
        if not program:
            return None
        try:
            ended = subprocess.run(
                [program, *command[1:]],
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Answer(None, "", f"no answer within {timeout_s:g} s")
        except OSError as error:
            return Answer(1, "", str(error))
        return Answer(ended.returncode, ended.stdout, ended.stderr)

    def has(self, path: str) -> bool:
        """Say whether a file stands under the root."""
        return (self.root / path).exists()

    def read(self, path: str) -> str:
        """Return a file under the root; empty where it cannot be read."""
        try:
            return (self.root / path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

"""Our errors, each with the exit code of the process that dies of it."""


class OcrError(Exception):
    """Anything we refuse or fail at; its message names the value and the fix."""

    exit_code = 1


class BadInput(OcrError, ValueError):
    """A wrong argument, parameter or job; retrying cannot help."""

    exit_code = 2


class BadData(OcrError, ValueError):
    """A dataset that cannot be used; retrying cannot help."""

    exit_code = 3


class TrainingFailed(OcrError, RuntimeError):
    """A training that diverged, stalled or ran out of disk; retrying cannot help."""

    exit_code = 4


class ArtifactNotFound(OcrError, FileNotFoundError):
    """A key, version or alias that the store does not hold."""

    exit_code = 2


class ArtifactExists(OcrError, FileExistsError):
    """An immutable key that is already taken by other content."""

    exit_code = 2


class AliasMoved(OcrError, RuntimeError):
    """Somebody else moved the alias between our read and our write."""

    exit_code = 5


class StoreUnavailable(OcrError, ConnectionError):
    """A store that cannot be reached, refuses our keys or is full; a retry may help."""

    exit_code = 5


class StoreRefused(StoreUnavailable):
    """A store that answers, but takes neither our key nor our clock, or not for this."""


class ProcessDied(OcrError, RuntimeError):
    """A process of ours that the system ended; a retry may help."""

    exit_code = 5


class ParityFailed(OcrError, RuntimeError):
    """An exported form or served answer that differs from the checkpoint's."""

    exit_code = 6

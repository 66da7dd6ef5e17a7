"""The deployments that every machine has, whatever its projects: one line each."""

from deploy.deployments.declaration import Declaration


def _single(code: str, description: str) -> Declaration:
    return Declaration(code, "ocrline", description, queue="short")


SINGLES: tuple[Declaration, ...] = (
    _single("flows.evaluate.evaluate", "Measure a model on a label file; nothing is promoted."),
    _single("flows.promote.promote", "Put a version online by hand, proven or taken back."),
    _single("flows.rollback.rollback", "Bring back the champion before this one, proven."),
)

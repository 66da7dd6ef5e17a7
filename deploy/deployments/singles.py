"""The deployments that every machine has, whatever its projects: one line each."""

from configs.operation.prune import PruneParams
from configs.presets import load_params
from deploy.deployments.declaration import Declaration, Queue, Schedule


def _single(
    code: str, description: str, *, queue: Queue = "short", preset: str = ""
) -> Declaration:
    """Declare one; its form begins with what a project extends, if it is a retraining."""
    said = {"params": load_params(preset).model_dump(mode="json")} if preset else {}
    return Declaration(code, "ocrline", description, said, queue=queue)


SINGLES: tuple[Declaration, ...] = (
    _single("flows.evaluate.evaluate", "Measure a model on a label file; nothing is promoted."),
    _single("flows.promote.promote", "Put a version online by hand, proven or taken back."),
    _single("flows.rollback.rollback", "Bring back the champion before this one, proven."),
    _single(
        "flows.recognise_batch.recognise_batch",
        "Read many images and PDFs to tables of their lines.",
        queue="cpu",
    ),
    _single("flows.notify.notify", "Tell people of a crash, a drift or new data; events start it."),
    Declaration(
        "flows.prune_store.prune",
        "ocrline",
        "Show what nobody needs any more; remove it where the form says so.",
        {"params": PruneParams().model_dump(mode="json")},
        queue="short",
        schedule=Schedule("0 4 * * sun"),
    ),
    _single(
        "flows.retrain_lines.retrain_lines",
        "Retrain a project of lines that stands in no file, by this form alone.",
        queue="cpu",
        preset="_fixed",
    ),
    _single(
        "flows.retrain_pages.retrain_pages",
        "Retrain a project of pages that stands in no file, by this form alone.",
        queue="cpu",
        preset="_pages",
    ),
)

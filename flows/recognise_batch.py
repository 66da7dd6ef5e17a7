"""Many images and PDFs in, tables of their lines out: ``ocrline recognise-batch scans/``."""

from prefect import flow

from configs.operation.batch import BatchParams
from tasks.batch.read import BatchRef, read_files
from tasks.notifying.hooks import tell_failure
from tasks.sweep import sweep_leftovers


@flow(name="recognise-batch", flow_run_name="{params.name}", on_failure=[tell_failure])
def recognise_batch(params: BatchParams) -> BatchRef:
    """Read every file once, by one version of a model; a run that was stopped goes on.

    Args:
        params: Which files, which model, within which limits.
    """
    sweep_leftovers()
    return read_files(params)

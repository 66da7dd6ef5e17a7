"""``ocrline prepare``: labelled images to a snapshot, and what was rejected."""

from typing import TYPE_CHECKING

import typer

from cli.options import AsJson, Overrides, Preset, StoreUri, settings_for
from cli.output import print_json
from configs.presets import ProjectParams, load_params
from configs.retrain import RetrainPagesParams

if TYPE_CHECKING:
    from ocr.dataset.preparation import SnapshotRef


def prepare(
    preset: Preset, overrides: Overrides = None, store: StoreUri = "", as_json: AsJson = False
) -> None:
    """Read, check and split the dataset, and write its snapshot to the store."""
    params = load_params(preset, overrides=overrides or [])
    settings_for(store)
    snapshot = _prepare(params)
    if as_json:
        print_json(snapshot)
    else:
        typer.echo(snapshot.key)


def _prepare(params: ProjectParams) -> "SnapshotRef":
    if isinstance(params, RetrainPagesParams):
        from tasks.prepare_pages import crop_pages, prepare_further_pages, prepare_pages

        pages = prepare_pages.fn(params.dataset)
        crop_pages.fn(pages, params.dataset, params.recogniser_name)
        prepare_further_pages.fn(params.evaluation.further, params.dataset.texts)
        return pages
    from tasks.prepare_lines import prepare_further_lines, prepare_lines

    lines = prepare_lines.fn(params.dataset, params.name)
    prepare_further_lines.fn(params.evaluation.further, params.dataset.texts)
    return lines

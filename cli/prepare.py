"""``ocrline prepare``: labelled images to a snapshot, and what was rejected."""

import typer

from cli.output import AsJson, StoreUri, print_json
from cli.retrain import Overrides, Preset, settings_for
from configs.presets import load_params


def prepare(
    preset: Preset, overrides: Overrides = None, store: StoreUri = "", as_json: AsJson = False
) -> None:
    """Read, check and split the dataset, and write its snapshot to the store."""
    params = load_params(preset, overrides=overrides or [])
    settings_for(store)
    from tasks.prepare import prepare_dataset

    snapshot = prepare_dataset.fn(params.dataset, params.name)
    if as_json:
        print_json(snapshot)
    else:
        typer.echo(snapshot.key)

"""``ocrline status``: what is up, since when, what runs and waits, which versions answer."""

from cli.options import AsJson, StoreUri, settings_for
from cli.output import print_json
from cli.stack.shown import print_status


def status(store: StoreUri = "", as_json: AsJson = False) -> None:
    """Show the local stack: services, queues with their runs, champions and what is served."""
    from deploy.status import read_status

    found = read_status(settings_for(store))
    if as_json:
        print_json(found)
    else:
        print_status(found)

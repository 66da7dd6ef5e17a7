"""``ocrline down``: runs are told to stop, then every service of this home is."""

from cli.options import AsJson, settings_for
from cli.output import ERR, print_json


def down(as_json: AsJson = False) -> None:
    """Stop what ocrline started on this machine; trainings keep a checkpoint first."""
    from deploy.stack import bring_down

    stopped = bring_down(settings_for(""), lambda said: ERR.print(said, markup=False))
    if as_json:
        print_json({"stopped": stopped})
    else:
        ERR.print(f"stopped {', '.join(stopped)}" if stopped else "nothing was running")

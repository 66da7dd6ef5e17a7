"""Runs what the Prefect UI asks for on this machine: ``python -m deploy.runner``."""

from configs.presets import load_params
from flows.retrain import retrain


def main() -> None:
    """Offer the retrain flow with the demo's parameters as the form's first values."""
    retrain.serve(
        name="local",
        description="The whole line on this machine",
        parameters={"params": load_params("demo").model_dump(mode="json")},
        pause_on_shutdown=False,
        print_starting_message=False,
    )


if __name__ == "__main__":
    main()

"""``ocrline templates``: kinds of machines, and which of them is enough."""

from typing import Annotated, Any

import typer

from cli.options import AsJson
from cli.output import print_json, print_table
from configs.templates import ResourceTemplate, load_template
from configs.training import TEMPLATE_NAMES

app = typer.Typer(
    help="Kinds of machines to train on: --set resources.template=NAME takes one.",
    invoke_without_command=True,
)

Template = Annotated[str, typer.Argument(help="Template, or YAML file that extends one.")]


@app.callback()
def templates(context: typer.Context, as_json: AsJson = False) -> None:
    """List the templates."""
    if context.invoked_subcommand is None:
        list_templates(as_json)


@app.command("list", epilog="Example: ocrline templates list")
def list_templates(as_json: AsJson = False) -> None:
    """List every template, from the smallest to the largest."""
    found = {name: load_template(name) for name in TEMPLATE_NAMES}
    if as_json:
        print_json([{"name": name, **each.model_dump()} for name, each in found.items()])
        return
    columns = ["name", "what it is", "devices", "batch: lines, pages", "amp", "memory", "time"]
    print_table("templates", columns, [_row(name, each) for name, each in found.items()])


@app.command(epilog="Example: ocrline templates show medium")
def show(template: Template, as_json: AsJson = False) -> None:
    """Show all that a template says, as a project's YAML names it."""
    found = load_template(template)
    if as_json:
        print_json({"name": template, **found.model_dump()})
        return
    says: dict[str, Any] = found.model_dump(exclude={"resources"})
    says |= {
        f"resources.{key}": value
        for key, value in found.resources.model_dump(exclude_defaults=True).items()
    }
    print_table(template, ["what", "value"], says.items())


def _row(name: str, template: ResourceTemplate) -> tuple[object, ...]:
    needs = template.resources
    return (
        name,
        template.description,
        f"{needs.devices} x {needs.device}",
        f"{template.recogniser_batch_size}, {template.detector_batch_size}",
        template.amp,
        f"{needs.memory_gib:g} GiB",
        f"{needs.time_limit_h:g} h",
    )

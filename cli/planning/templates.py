"""``ocrline templates``: kinds of machines, and which of them is enough."""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from cli.options import AsJson, Overrides, Preset, StoreUri, settings_for
from cli.output import OUT, print_json, print_table
from configs.presets import load_params
from configs.templates import ResourceTemplate, load_template
from configs.training import TEMPLATE_NAMES
from ocr.errors import BadInput

if TYPE_CHECKING:
    from ocr.machine.planning.choice import Verdict

app = typer.Typer(
    help="Kinds of machines to train on: --set resources.template=NAME takes one.",
    invoke_without_command=True,
)

Template = Annotated[str, typer.Argument(help="Template, or YAML file that extends one.")]

MOST = 10**12
"""So that what they take stays a number."""

Images = Annotated[
    int,
    typer.Option(
        min=0,
        max=MOST,
        help="Images of the train split, of a project of pages these; 0: as prepared.",
    ),
]
Lines = Annotated[
    int, typer.Option(min=0, max=MOST, help="Lines of a project of pages; 0: as they were cut out.")
]


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


@app.command(epilog="Example: ocrline templates recommend plates --images 2640")
def recommend(
    preset: Preset,
    overrides: Overrides = None,
    images: Images = 0,
    lines: Lines = 0,
    store: StoreUri = "",
    as_json: AsJson = False,
) -> None:
    """Predict memory and time of a project on every template, and name the smallest that is enough.

    It reckons from what earlier trainings of the same net took, else from a model.
    """
    from cli.planning.recommending import count_images, weigh_templates
    from ocr.machine.planning.choice import choose
    from tasks.run.usage import read_records
    from tasks.workspace import open_workspace

    params = load_params(preset, overrides=overrides or [])  # wrong ones are refused at once
    opened = open_workspace(settings_for(store)).store
    counted = count_images(opened, params)
    if lines and "recogniser" not in counted:
        raise BadInput(f"--lines: {preset} has no pages, its lines are --images {lines}")
    given = {"training": images, "detector": images, "recogniser": lines}
    counted = {field: given[field] or count for field, count in counted.items()}
    earlier = [record.took for record in read_records(opened)]
    verdicts = list(weigh_templates(preset, overrides or [], images=counted, earlier=earlier))
    chosen, why = choose(verdicts)
    if as_json:
        print_json({"template": chosen, "why": why, "images": counted, "templates": verdicts})
        return
    columns = ["template", "memory", "of each GPU", "shared", "time", "verdict"]
    print_table(f"expected of {preset}", columns, map(_expected, verdicts))
    OUT.print(escape(f"{why}."), soft_wrap=True)
    for field, count in counted.items():
        of = "lines" if field == "recogniser" else "images"
        said = f"{count} {of}" if count else f"unknown how many {of}, so no time: say --{of}"
        OUT.print(f"{field}: {said}", soft_wrap=True)
    for basis in dict.fromkeys(each.needs.basis for each in verdicts if each.needs):
        OUT.print(escape(f"from {basis}"), soft_wrap=True)


def _expected(verdict: "Verdict") -> tuple[object, ...]:
    needs = verdict.needs
    if needs is None:
        return (verdict.name, "–", "–", "–", "–", verdict.why)
    return (
        verdict.name,
        f"{needs.memory_mib:.0f} MiB",
        f"{needs.device_memory_mib:.0f} MiB" if needs.device_memory_mib else "–",
        f"{needs.shared_memory_mib:.0f} MiB" if needs.shared_memory_mib else "–",
        f"{needs.seconds / 3600:.2f} h" if needs.seconds else "unknown",
        verdict.why,
    )


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

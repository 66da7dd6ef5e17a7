"""How many broken labels a list of suspects finds: ``python -m bench.suspects --plates FOLDER``.

Breaks five of a hundred labels of each split on purpose, trains on them with the parameters of the
preset `plates` but for `--epochs`, and ranks all lines as `ocrline suspects` does, and plainly. It
prints how many of the broken labels stand in the first tenth of each list, by kind and by split.
"""

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein
from rich.console import Console
from rich.table import Table

from bench.broken_labels import KINDS, Kind, break_label_files
from configs.presets import load_params
from configs.retrain import RetrainLinesParams
from ocr.dataset.split import SPLITS
from ocr.evaluation.suspects.crops import crops_of_lines
from ocr.evaluation.suspects.finding import find_suspects
from ocr.evaluation.suspects.suspect import Suspect

SHARE = 0.05
FIRST = 0.1
"""Of a list is looked at."""

RANKINGS: dict[str, Callable[[Suspect], Any]] = {
    "as ocrline suspects": lambda line: line.suspicion,
    "contradiction alone": lambda line: line.contradiction,
    "doubt alone": lambda line: line.doubt,
    "confidence, if read otherwise": lambda line: line.confidence * (line.read != line.crop.text),
    "edit distance": lambda line: Levenshtein.normalized_distance(line.read, line.crop.text),
}


def main() -> None:
    """Break, train, rank and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plates", type=Path, required=True, help="Folder of labelled plates")
    parser.add_argument("--epochs", type=int, default=60, help="Passes over the train split")
    parser.add_argument("--seed", type=int, default=0, help="Of the broken labels and the training")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-suspects-") as folder:
        os.environ["OCRLINE_HOME"] = str(Path(folder, "home"))
        data = Path(folder, "data")
        kinds = break_label_files(arguments.plates, data, share=SHARE, seed=arguments.seed)
        lines = read_all(data, epochs=arguments.epochs, seed=arguments.seed)
    Console(width=130).print(compare(lines, kinds))


def read_all(data: Path, *, epochs: int, seed: int) -> list[Suspect]:
    """Train on a folder of plates, and return every line of it as the recogniser sees it."""
    from tasks.export import export_recogniser
    from tasks.prepare_lines import prepare_lines
    from tasks.readers import load_recogniser
    from tasks.train import train_recogniser
    from tasks.workspace import open_workspace

    changes = [f"dataset.root={data}", f"training.epochs={epochs}", f"training.seed={seed}"]
    params = load_params("plates", overrides=[*changes, "resources.devices=1"])
    if not isinstance(params, RetrainLinesParams):
        raise TypeError("plates is no preset for lines")
    dataset = prepare_lines.fn(params.dataset, params.name)
    checkpoint = train_recogniser.fn(dataset, params.training, params.resources)
    model = export_recogniser.fn(checkpoint, dataset, params.name, params.training)
    workspace = open_workspace()
    snapshot = workspace.open_lines(dataset.key)
    crops = chain.from_iterable(crops_of_lines(snapshot, split) for split in SPLITS)
    reader = load_recogniser(workspace, model.reference)
    return find_suspects(crops, reader, most=dataset.counts["accepted"])


def compare(lines: Sequence[Suspect], kinds: Mapping[str, Kind]) -> Table:
    """Tabulate how many broken labels the first tenth of each list holds.

    Args:
        lines: All lines of the dataset.
        kinds: How each broken label was broken, by the path of its image.
    """
    lines = sorted(lines, key=lambda line: line.crop.id)  # ties are broken by chance
    broken = [line for line in lines if line.crop.image in kinds]
    first = round(FIRST * len(lines))
    repeated = sum(line.read == line.crop.text for line in broken)
    title = f"{len(broken)} of {len(lines)} labels broken, {repeated} of them read as labelled"
    table = Table("ranked by", f"in the first {first}", f"in the first {len(broken)}", title=title)
    for column in (*KINDS, *SPLITS):
        table.add_column(column)
    for name, key in RANKINGS.items():
        ranked = sorted(lines, key=key, reverse=True)
        found = [line for line in ranked[:first] if line.crop.image in kinds]
        surest = sum(line.crop.image in kinds for line in ranked[: len(broken)])
        ours, every = (_count_parts(some, kinds) for some in (found, broken))
        cells = (f"{ours[part]} of {every[part]}" for part in (*KINDS, *SPLITS))
        table.add_row(name, f"{len(found)} of {len(broken)}", str(surest), *cells)
    return table


def _count_parts(lines: Sequence[Suspect], kinds: Mapping[str, Kind]) -> Counter[str]:
    """Count lines of each kind and of each split."""
    return Counter(chain.from_iterable((kinds[each.crop.image], each.crop.split) for each in lines))


if __name__ == "__main__":
    main()

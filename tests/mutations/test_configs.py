"""Damaged presets and overrides: parameters, or one error that says what is wrong."""

import tempfile
from pathlib import Path
from typing import Final

from hypothesis import given

from configs.layers import names_in
from configs.presets import PRESETS, ConfigError, ProjectParams, load_params
from tests.mutations.edits import damaged

GOOD: Final = [(PRESETS / f"{name}.yaml").read_bytes() for name in names_in(PRESETS)]
OVERRIDES: Final = [
    b"dataset.root=data",
    b"dataset.split.test_share=0.2",
    b"training.recogniser.epochs=20",
    b"dataset.synthesis.patterns=[A-Z]{3}",
]


@given(damaged(GOOD), damaged(OVERRIDES))
def test_damaged_presets_are_read_or_refused(preset: bytes, override: bytes) -> None:
    try:
        params = _load(preset, override.decode(errors="surrogateescape"))
    except ConfigError:
        return
    assert type(params).model_validate(params.model_dump()) == params


def _load(preset: bytes, override: str) -> ProjectParams:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "preset.yaml"
        path.write_bytes(preset)
        return load_params(str(path), overrides=[override])

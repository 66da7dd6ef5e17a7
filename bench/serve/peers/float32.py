"""A model that is read in 8 bits, once more in float32: for engines that read nothing else."""

import shutil
from pathlib import Path

from ocr.models.bundle import INT8_MODEL, read_recogniser_manifest, write_manifest
from ocr.models.golden import read_golden_inputs, write_golden_outputs
from ocr.models.registry import Registry
from ocr.reading.recognition.recogniser import OnnxRecogniser
from ocr.store import open_store


def forms_of(bundle: Path, *, store: str, folder: Path) -> dict[str, tuple[str, Path]]:
    """Return the store and the bundle of each form that is to be measured; the last is float32.

    Args:
        bundle: A recogniser's that is served.
        store: The URI of its store.
        folder: For a store and a bundle in float32, if it is read in 8 bits.
    """
    if not (bundle / INT8_MODEL).exists():
        return {"float32": (store, bundle)}
    return {"8 bits": (store, bundle), "float32": _copy_in_float32(bundle, folder)}


def _copy_in_float32(bundle: Path, folder: Path) -> tuple[str, Path]:
    """Make a store whose only champion is a recogniser without its form in 8 bits."""
    copy = shutil.copytree(bundle, folder / "bundle")
    (copy / INT8_MODEL).unlink()
    manifest = write_manifest(copy, read_recogniser_manifest(copy))
    read = OnnxRecogniser.load(copy).recognise(list(read_golden_inputs(copy)))
    write_golden_outputs(copy, ({"text": line.text} for line in read))
    write_manifest(copy, manifest)
    store = open_store(str(folder / "store"))
    registry = Registry(store)
    registry.register(manifest.name, manifest.version, copy)
    registry.promote(manifest.name, manifest.version, reason="to be measured")
    return store.uri, copy

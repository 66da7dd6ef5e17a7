"""A model that is read in 8 bits, once more in float32: for engines that read nothing else."""

import shutil
from pathlib import Path

from ocr.models.bundle import INT8_MODEL, read_recogniser_manifest, write_manifest
from ocr.models.golden import read_golden_inputs, write_golden_outputs
from ocr.models.registry import Registry
from ocr.reading.recognition.recogniser import OnnxRecogniser
from ocr.store import open_store


def copy_in_float32(bundle: Path, folder: Path) -> tuple[str, Path]:
    """Make a store whose only champion is a recogniser without its form in 8 bits.

    Args:
        bundle: The recogniser's.
        folder: For the store and the copy.

    Returns:
        The store's URI, and the copy.
    """
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

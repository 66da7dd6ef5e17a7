"""Versions that are taken out of the store: verified, every file of them."""

import json
from pathlib import Path

import pytest

from ocr.errors import BadData
from ocr.models.registry import Registry
from ocr.store import open_store


@pytest.mark.parametrize("files", [{}, {"card.md": ""}])
def test_a_version_whose_files_have_no_digests_is_not_downloaded(
    files: dict[str, str], tmp_path: Path
) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "card.md").write_text("a card")
    manifest = {"name": "plates", "version": "a", "files": files}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    registry = Registry(open_store(str(tmp_path / "store")))
    model = registry.register("plates", "a", folder)

    with pytest.raises(BadData, match='names no digest of its "files"'):
        registry.download(model, tmp_path / "copy")

"""What is known of a version besides its bundle."""

from dataclasses import replace

from ocr.dataset.labels.text_rule import AS_WRITTEN, USUAL
from ocr.dataset.snapshot.manifest import SnapshotManifest
from tasks.readers import read_text_rule
from tasks.workspace import open_workspace
from tests.tasks.conftest import NAME, ToyProject


def test_text_rule_of_a_version_is_that_of_the_snapshot_it_learnt_from(
    project: ToyProject,
) -> None:
    project.add("v1")
    workspace = open_workspace()
    digest = workspace.registry.version(NAME, "v1").manifest["dataset_digest"]
    manifest = SnapshotManifest.create(
        name="other", counts={}, quarantine=(), charset_size=1, files={}, task="recognition"
    )
    written = replace(manifest, digest=digest, texts=AS_WRITTEN)

    before = read_text_rule(workspace, f"{NAME}:v1")
    workspace.store.put_bytes(f"datasets/other/{digest}/manifest.json", written.to_bytes())

    assert before == USUAL
    assert read_text_rule(workspace, f"{NAME}:v1") == AS_WRITTEN

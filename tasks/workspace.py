"""What every task of this process works with: the store and a folder for work in progress."""

from dataclasses import dataclass
from pathlib import Path

from configs.settings import Settings
from ocr.dataset.lines.snapshot import LineSnapshot, open_line_snapshot
from ocr.dataset.pages.snapshot import PageSnapshot, open_page_snapshot
from ocr.dataset.preparation import snapshot_key
from ocr.dataset.roots import StoreRoot
from ocr.dataset.snapshot.snapshot import MANIFEST, TABLES, shards_in_store
from ocr.errors import BadInput
from ocr.machine.owner import name_user
from ocr.models.registry import ModelVersion, Registry
from ocr.store import S3Credentials, Store, open_store
from ocr.store.folder import download_verified, name_copies
from ocr.store.protocol import READ_TIMEOUT_S
from ocr.store.state import check_home, meet_store
from tasks.run.copies import use_copy


@dataclass(frozen=True)
class Workspace:
    """The store all stages meet in, and the local folder of jobs, bundles and reports."""

    store: Store
    home: Path

    @property
    def registry(self) -> Registry:
        """The registry of the store, whose moves name the user of this process."""
        return Registry(self.store, by=name_user())

    def fetch_bundle(self, model: ModelVersion) -> Path:
        """Copy a bundle to this machine, once; each store's apart."""
        copy = self._copy_folder("bundles", model.name, model.version)
        return self.registry.download(model, copy)

    def open_lines(self, key: str) -> LineSnapshot:
        """Open a snapshot of lines; its table is copied, its images stay in the store."""
        return open_line_snapshot(self.copy_tables(key), shards_in_store(self.store, key))

    def open_pages(self, key: str) -> PageSnapshot:
        """Open a snapshot of pages; its table is copied, its images stay in the store."""
        return open_page_snapshot(self.copy_tables(key), shards_in_store(self.store, key))

    def find_snapshot(self, digest: str) -> str:
        """Return the key of the snapshot with a digest, whatever its name; empty: it is gone."""
        keys = (snapshot_key(name, digest) for name in self.store.folders("datasets"))
        return next((key for key in keys if self.store.exists(f"{key}/{MANIFEST}")), "")

    def copy_tables(self, key: str) -> Path:
        """Copy the tables of a snapshot to this machine, once; return their folder.

        A copy that was changed since is fetched anew: what is measured by it is kept for everybody.
        """
        manifest = self.store.read_bytes(f"{key}/{MANIFEST}")
        copy = self._copy_folder("snapshots", *Path(key).parts[1:])
        return download_verified(self.store, manifest, prefix=key, folder=copy, only=TABLES)

    def _copy_folder(self, kind: str, *place: str) -> Path:
        """Return where a copy of something in the store is, from now on in use."""
        return use_copy(self.home.joinpath(kind, name_copies(self.store.uri), *place))


def dataset_root(written: str) -> Path | StoreRoot:
    """Return what a dataset's `root` names: a path, or an address behind the environment's keys.

    Raises:
        BadInput: It is an address of another kind, which is not shown: it may hold keys.
    """
    scheme, separator, _ = written.partition("://")
    if separator and scheme != "s3":
        raise BadInput(
            f"dataset.root is an address that starts with {scheme}://; expected a folder, "
            "a tar file or s3://bucket/folder"
        )
    if separator:
        return StoreRoot(written, S3Credentials.of(Settings()))
    return Path(written)


def open_workspace(
    settings: Settings | None = None, *, read_timeout_s: float = READ_TIMEOUT_S
) -> Workspace:
    """Open the store that the environment (or the given settings) names, as `open_store` does.

    Raises:
        BadInput: A newer release wrote the home or the store, or a restore was not finished.
        StoreUnavailable: The store does not answer, or what the home has worked with is gone.
    """
    settings = settings or Settings()
    check_home(settings.home)
    try:
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        if settings.has_store_at_home:  # it would be taken for an empty one
            raise
    s3 = S3Credentials.of(settings)
    store = open_store(settings.store, s3=s3, read_timeout_s=read_timeout_s)
    meet_store(settings.home, store, server=settings.s3_endpoint)
    return Workspace(store=store, home=settings.home)

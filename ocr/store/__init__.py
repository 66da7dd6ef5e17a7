"""The artifact store: immutable objects by key, in a local folder or behind an S3 server."""

from ocr.store.address import open_store
from ocr.store.protocol import S3Credentials, Store

__all__ = ["S3Credentials", "Store", "open_store"]

"""The artifact store: immutable objects by key, in a local folder or behind an S3 server.

- `protocol` – what every store can do, and the credentials of an S3 server
- `key` – which keys there may be
- `address` – from a URI to its store
- `local` – the store in a folder
- `minio`, `minio_client` – the store in a bucket, and the SDK as it needs it
- `folder` – whole folders in and out, their manifest last
- `whole` – files that appear, and are read, whole or not at all
- `state` – which releases may read a store or a home
- `digest`, `stages` – the key of what a stage makes: the one rule of what is in it, and the table
  of the stages' generations, code and libraries
"""

from ocr.store.address import open_store
from ocr.store.protocol import S3Credentials, Store

__all__ = ["S3Credentials", "Store", "open_store"]

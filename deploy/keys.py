"""Whether the store takes the keys that services would be started with."""

from configs.settings import Settings
from ocr.errors import StoreRefused, StoreUnavailable
from ocr.store import S3Credentials, open_store
from ocr.store.state import check_store


def require_keys(settings: Settings) -> None:
    """Refuse keys that the store refuses: what runs would be replaced by what serves nothing.

    Raises:
        StoreRefused: It does. Of one that does not answer nothing is known; it may come back.
    """
    try:
        check_store(open_store(settings.store, s3=S3Credentials.of(settings)))
    except StoreRefused:
        raise
    except StoreUnavailable:
        return

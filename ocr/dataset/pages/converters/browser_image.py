"""The image of a line or page as browsers show it, and Label Studio in them."""

from ocr.dataset.snapshot.snapshot import SampleT, Snapshot
from ocr.image.header import image_suffix
from ocr.image.pixels import encode_png

_SHOWN = (".bmp", ".gif", ".jpg", ".png", ".webp")


def browser_image(snapshot: Snapshot[SampleT], sample: SampleT) -> bytes:
    """Return what browsers show as it is, byte for byte: its name by content stays; else a PNG.

    The PNG, of a TIFF or PPM, has the pixels that are learnt and read.
    """
    data = snapshot.image_bytes(sample)
    return data if image_suffix(data) in _SHOWN else encode_png(snapshot.image(sample))

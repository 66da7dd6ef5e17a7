"""How many new images does the gateway read as the checkpoint of its champion does?

    python -m bench.serve.checkpoint [PRESET] [--count N]

Draws lines that come after the preset's synthetic set, reads them with the net of the checkpoint
(not with a form of the bundle) and its decoder, and asks the gateway of the preset for the same.
"""

import argparse
import sys
import tempfile
import warnings
from pathlib import Path

from cli.demo import draw_unseen
from configs.presets import load_params
from configs.settings import Settings
from ocr.image.pixels import Image, encode_png
from ocr.models.bundle import CHARSET, read_recogniser_bundle
from ocr.models.charset import Charset
from ocr.models.registry import Registry
from ocr.reading.recognition.decoder import Decoder, read_text_model
from ocr.store import S3Credentials, open_store
from ocr.store.folder import download_folder
from tasks.gateway_address import find_endpoint
from tasks.gateway_client import GatewayClient
from training.environment import prepare_environment


def main() -> int:
    """Compare, print a line for each difference and the count; 6 where there is one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("preset", nargs="?", default="smoke")
    parser.add_argument("--count", type=int, default=200)
    options = parser.parse_args()
    params, settings = load_params(options.preset), Settings()
    images, texts = draw_unseen(params, count=options.count)
    registry = Registry(open_store(settings.store, s3=S3Credentials.of(settings)))
    champion = registry.champion(params.name)
    if champion is None:
        sys.exit(f"error: {params.name} has no champion; run: ocrline retrain {options.preset}")
    endpoint = find_endpoint(params.deployment, settings.home)
    with GatewayClient(endpoint, token=settings.token) as gateway:
        served = list(
            gateway.read_lines(
                [encode_png(image) for image in images], name=params.name, version=champion.version
            )
        )
        engine = gateway.engine_of(params.name)
    expected = read_with_checkpoint(registry, f"{params.name}:{champion.version}", images)
    differ = 0
    for one, other, text in zip(served, expected, texts, strict=True):
        if one != other:
            differ += 1
            print(f"served {one!r}, the checkpoint reads {other!r}, it says {text!r}")
    right = sum(one == text for one, text in zip(served, texts, strict=True))
    print(
        f"{engine} reads {len(images) - differ} of {len(images)} images as the checkpoint does, "
        f"{right} of them rightly ({len(set(expected))} different texts)"
    )
    return 6 if differ else 0


def read_with_checkpoint(registry: Registry, reference: str, images: list[Image]) -> list[str]:
    """Read (H, W, 3) BGR lines with the net that was trained, before any export."""
    with warnings.catch_warnings():  # paddle's imports warn of its dependencies
        warnings.simplefilter("ignore")
        prepare_environment()
        from training.export.kinds import load_export

    with tempfile.TemporaryDirectory() as folder:
        bundle = registry.download(registry.resolve(reference), Path(folder) / "bundle")
        manifest = read_recogniser_bundle(bundle)
        decoder = Decoder(Charset.read(bundle / CHARSET), read_text_model(bundle, manifest))
        checkpoint = Path(folder) / "checkpoint"
        download_folder(registry.store, prefix=manifest.checkpoint, folder=checkpoint)
        model = load_export("export-recogniser", checkpoint)
        found = model.reader.infer(model.net.answer, images)
    return [decoder.decode(probabilities).text for probabilities in found]


if __name__ == "__main__":
    sys.exit(main())

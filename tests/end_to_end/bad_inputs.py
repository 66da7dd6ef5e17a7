"""What bad labels, images, presets and requests get: ``python -m tests.end_to_end.bad_inputs``."""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from rich.console import Console
from rich.table import Table

from configs.presets import ConfigError, load_params
from ocr.dataset.lines.labels import LineLabelFiles
from ocr.dataset.lines.preparation import prepare_lines
from ocr.dataset.preparation import SnapshotRef
from ocr.errors import OcrError
from ocr.store import open_store
from tests.ocr.dataset.rules import LINE_LIMITS, NEAR_BITS, SPLIT
from tests.ocr.image.pictures import draw_text, write_labels
from tests.serving.conftest import LIMITS, make_shelf
from tests.serving.gateway import running_gateway
from tests.serving.rest.test_bad_requests import CASES as REQUESTS
from tests.serving.rest.test_bad_requests import bomb
from tests.serving.tiny_bundle import DIGITS

GOOD_ROWS = {f"good{i:02}.png": f"TEXT{i:02}" for i in range(30)}


@dataclass(frozen=True)
class Outcome:
    """One bad input: what it was, what it should have got and what it got."""

    part: str
    case: str
    expected: str
    got: str

    @property
    def is_right(self) -> bool:
        """Whether the answer is what it should be; errors of files and presets are sentences."""
        if self.part in ("row", "request"):
            return self.got.split(":")[0] == self.expected
        return self.expected in self.got


def png(text: str) -> bytes:
    return cv2.imencode(".png", draw_text(text))[1].tobytes()


# Each row stands among 30 good ones; the reason is that of the quarantine.
BAD_ROWS: dict[str, tuple[bytes, bytes | None, str]] = {
    "image that is not there": (b"bad.png\tA", None, "missing_image"),
    "image of no bytes": (b"bad.png\tA", b"", "unreadable_image"),
    "text file named .png": (b"bad.png\tA", b"hello", "unreadable_image"),
    "image cut in half": (b"bad.png\tA", png("HALF")[:400], "truncated_image"),
    "bomb of 60000 x 60000": (b"bad.png\tA", bomb(), "decompression_bomb"),
    "image of 3 x 3": (
        b"bad.png\tA",
        cv2.imencode(".png", np.zeros((3, 3, 3), np.uint8))[1].tobytes(),
        "too_small",
    ),
    "no text": (b"bad.png\t", png("X"), "empty_text"),
    "text of blanks": (b"bad.png\t   ", png("X"), "empty_text"),
    "text of 99 characters": (b"bad.png\t" + b"A" * 99, png("X"), "text_too_long"),
    "control character": (b"bad.png\tA\x07B", png("X"), "control_character"),
    "tab in the text": (b"bad.png\tA\tB", png("X"), "tab_in_text"),
    "line without a tab": (b"bad.png A", png("X"), "malformed_row"),
    "absolute path": (b"/etc/hostname\tA", None, "outside_root"),
    "path that leaves the folder": (b"../../etc/passwd\tA", None, "outside_root"),
    "same image twice": (b"bad.png\tTEXT00", b"=good00.png", "duplicate"),
    "same image, other text": (b"bad.png\tOTHER", b"=good00.png", "duplicate_with_other_text"),
}

# These stop the run at once.
BAD_FILES: dict[str, tuple[bytes | None, str]] = {
    "label file that is not there": (None, "no label file"),
    "empty label file": (b"", "the train split is empty"),
    "label file of blank lines": (b"\n\r\n\n", "the train split is empty"),
    "GBK label file": ("a.png\t皖A12345\n".encode("gbk"), "set dataset.encoding=gb18030"),
    "UTF-16 label file": ("a.png\tA\n".encode("utf-16"), "save it as UTF-8"),
    "more bad rows than allowed": (b"x.png\tA\ny.png\tB\n", "max_bad_share"),
}

BAD_PARAMETERS = {
    "training.epocs=3": "did you mean training.epochs?",
    "training.epochs=0": "training.epochs: 0 is not allowed",
    "training.epochs=ten": "training.epochs: 'ten' is not allowed",
    "training.size=huge": "should be 'small', 'base' or 'large'",
    "training.height_px=33": "multiple of 8",
    "gate.margin=-1": "gate.margin: -1 is not allowed",
    "dataset.limits=7": "dataset.limits: 7 is not allowed",
    "name=../up": "should match pattern",
    "deployment.endpoint=ftp://x": "expected http://HOST:PORT",
    "novalue": "expected key.path=value",
}


def main() -> None:
    """Print the table; exit 1 when an answer is not the expected one."""
    table = Table("input", "case", "got", title="bad inputs")
    outcomes = list(try_all())
    for outcome in outcomes:
        table.add_row(outcome.part, outcome.case, outcome.got)
    console = Console(width=150, markup=False)
    console.print(table)
    console.print(f"{sum(o.is_right for o in outcomes)} of {len(outcomes)} as expected")
    raise SystemExit(not all(outcome.is_right for outcome in outcomes))


def try_all() -> Iterator[Outcome]:
    """Try every bad input on the real code, the requests on a real gateway."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for case, (row, image, reason) in BAD_ROWS.items():
            yield Outcome("row", case, reason, try_row(root / case, row, image))
        for case, (labels, expected) in BAD_FILES.items():
            yield Outcome("labels", case, expected, _said(lambda: try_file(root / case, labels)))  # noqa: B023
        for override, expected in BAD_PARAMETERS.items():
            yield Outcome(
                "preset",
                f"--set {override}",
                expected,
                _said(lambda: load_params("smoke", overrides=[override])),  # noqa: B023
            )
        yield from try_requests(root / "gateway")


def try_row(root: Path, row: bytes, image: bytes | None) -> str:
    """Prepare 30 good rows and a bad one; return the reason it was quarantined for."""
    write_labels(root, "rec_train.txt", GOOD_ROWS)
    if image is not None:
        if image.startswith(b"="):
            image = (root / image[1:].decode()).read_bytes()
        (root / "bad.png").write_bytes(image)
    with (root / "rec_train.txt").open("ab") as stream:
        stream.write(row + b"\n")
    (reason,) = prepare(root).quarantine
    return f"{reason.reason}: {reason.examples[0].detail}"


def try_file(root: Path, labels: bytes | None) -> SnapshotRef:
    """Prepare a dataset of one label file."""
    root.mkdir()
    if labels is not None:
        (root / "rec_train.txt").write_bytes(labels)
    return prepare(root)


def try_requests(folder: Path) -> Iterator[Outcome]:
    """Send every bad request to one gateway."""
    shelf = make_shelf(folder)
    shelf.add("v1", DIGITS)
    shelf.registry.promote("bars", "v1", reason="first")
    with running_gateway(folder / "home", store=shelf.store, **LIMITS) as gateway:
        gateway.wait_ready()
        for case, (send, status, code) in REQUESTS.items():
            reply = send(gateway)
            error = reply.json()["error"]
            got = f"{reply.status_code} {error['code']}: {error['message']}"
            yield Outcome("request", case, f"{status} {code}", got)


def prepare(root: Path) -> SnapshotRef:
    """Prepare the PaddleOCR dataset of a folder."""
    return prepare_lines(
        open_store(str(root / "store")),
        name="bad",
        labels=LineLabelFiles(kind="paddleocr", root=root, train="rec_train.txt"),
        limits=LINE_LIMITS,
        split=SPLIT,
        near_duplicate_bits=NEAR_BITS,
    )


def _said(attempt: Callable[[], object]) -> str:
    try:
        attempt()
    except (OcrError, ConfigError) as error:
        return str(error)
    return "accepted"


if __name__ == "__main__":
    main()

"""The pages that a folder holds, as `pages.json` lists them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ocr.errors import ArtifactNotFound, BadData
from ocr.proposal.page import ProposedPage
from ocr.proposal.usefulness import Choice, Turn

LIST = "pages.json"


@dataclass(frozen=True)
class Suggestion:
    """A page to check, and why.

    Attributes:
        image: Path of its image in the folder; the names have the order of checking.
        file: Where it came from.
        page: Its place among the pages of the file, from 1.
        digest: SHA-256 of the file.
        document: What the file is called in every round.
        chosen: Because it is useful to correct, or at random.
        doubt: How many of its lines are expected to be wrong.
        novelty: How unlike it is to the pages before it, 0 to 1.
        lines: How many were read.
        least_text: What the reader was least sure of; empty where nothing was read.
        least_confidence: How sure it was of that, 0 to 1.
    """

    image: str
    file: str
    page: int
    digest: str
    document: str
    chosen: Turn
    doubt: float
    novelty: float
    lines: int
    least_text: str
    least_confidence: float

    @classmethod
    def of(cls, page: ProposedPage, *, image: str, choice: Choice) -> "Suggestion":
        """Describe a page."""
        least = page.least
        return cls(
            image=image,
            file=page.source.file,
            page=page.source.number,
            digest=page.source.digest,
            document=page.source.document,
            chosen=choice.turn,
            doubt=round(page.doubt, 2),
            novelty=round(choice.novelty, 3),
            lines=len(page.lines),
            least_text=least.text if least else "",
            least_confidence=round(least.confidence, 4) if least else 0.0,
        )


def write_list(folder: Path, suggestions: Sequence[Suggestion], *, model: str) -> None:
    """Write down which pages a folder holds."""
    content = {"model": model, "pages": [asdict(each) for each in suggestions]}
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    (folder / LIST).write_text(text, encoding="utf-8")


def read_known(folders: Iterable[Path]) -> Mapping[tuple[str, int], str]:
    """Return the pages that folders hold, and what their documents are called there.

    A page is the digest of its file and its number.

    Raises:
        ArtifactNotFound: A folder has no list.
        BadData: A list is damaged.
    """
    return {page: document for folder in folders for page, document in _read_list(folder / LIST)}


def _read_list(path: Path) -> list[tuple[tuple[str, int], str]]:
    try:
        pages = json.loads(path.read_text(encoding="utf-8"))["pages"]
        return [
            ((str(page["digest"]), int(page["page"])), str(page.get("document", page["file"])))
            for page in pages  # documents were called as their files at first
        ]
    except (FileNotFoundError, NotADirectoryError):
        raise ArtifactNotFound(
            f"no file {path}, which `ocrline annotate` writes into every folder that it makes"
        ) from None
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise BadData(f"{path} is no list of `ocrline annotate`: {error!r}") from error

"""The label files of one dataset of pages, whatever their format."""

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Literal

from ocr.dataset.labels.encoding import decode_labels
from ocr.dataset.labels.mmocr import FIELD
from ocr.dataset.labels.split_files import SplitFiles, shown_name
from ocr.dataset.pages.labels.coco import parse_coco
from ocr.dataset.pages.labels.icdar2015 import SUFFIX, parse_icdar2015
from ocr.dataset.pages.labels.icdar_relatives import refuse_relatives
from ocr.dataset.pages.labels.labelstudio import parse_labelstudio
from ocr.dataset.pages.labels.labelstudio_paths import ImageFinder
from ocr.dataset.pages.labels.mmocr import parse_mmocr_pages
from ocr.dataset.pages.labels.paddleocr import parse_paddleocr_pages
from ocr.dataset.pages.labels.ppocrlabel import FILE_STATE, parse_ppocrlabel
from ocr.dataset.pages.labels.raw import RawPage, RawPageLabel
from ocr.dataset.quarantine import Rejection
from ocr.dataset.split import Split
from ocr.errors import ArtifactNotFound, BadInput

PageLabelKind = Literal["paddleocr", "ppocrlabel", "icdar2015", "labelstudio", "coco", "mmocr"]
_WITH_FIELDS: tuple[PageLabelKind, ...] = ("labelstudio", "coco")


@dataclass(frozen=True)
class PageLabelFiles(SplitFiles[RawPageLabel]):
    """Where the labels of pages are and how to read them.

    Attributes:
        kind: Format of the labels; of icdar2015 each split is a folder of text files and images.
        group_field: Field of a Label Studio task's data, or of a COCO image, that names what stays
            in one split; empty: none.
    """

    kind: PageLabelKind
    group_field: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.group_field and self.kind not in _WITH_FIELDS:
            allowed = " or ".join(_WITH_FIELDS)
            raise BadInput(f"group_field needs {allowed}, the source is {self.kind!r}")

    def _parse(self, name: str, *, split: Split | None) -> Iterator[RawPage | Rejection]:
        shown = shown_name(name)
        if self.kind == "icdar2015":
            return self._parse_folder(name, split=split)
        if self.kind == "paddleocr":
            return parse_paddleocr_pages(self._lines(name), name=shown, split=split)
        if self.kind == "mmocr":
            return self._parse_mmocr(name, split=split)
        content = self._decode(name)
        if self.kind == "coco":
            return parse_coco(content, name=shown, split=split, group_field=self.group_field)
        if self.kind == "labelstudio":
            return self._parse_labelstudio(content, name=name, split=split)
        return parse_ppocrlabel(
            content,
            states=self._read_states(name),
            folder=self._folder_of(name),
            name=shown,
            split=split,
        )

    def _parse_labelstudio(
        self, content: str, *, name: str, split: Split | None
    ) -> Iterator[RawPage | Rejection]:
        root = self.place()
        with root.images() as images:
            finder = ImageFinder(
                exists=images.exists,
                list_files=partial(root.list_files, "."),
                folder=self._folder_of(name),
            )
            yield from parse_labelstudio(
                content,
                name=shown_name(name),
                split=split,
                group_field=self.group_field,
                finder=finder,
            )

    def _parse_mmocr(self, name: str, *, split: Split | None) -> Iterator[RawPage | Rejection]:
        yield from parse_mmocr_pages(
            self._json_items(name, field=FIELD), name=shown_name(name), split=split
        )

    def _parse_folder(self, name: str, *, split: Split | None) -> Iterator[RawPage | Rejection]:
        files = self._list(name)
        return refuse_relatives(
            parse_icdar2015(
                (
                    (file, decode_labels(content, encoding=self.encoding, name=shown_name(place)))
                    for file, place, content in self._texts_of(name, files)
                ),
                images=frozenset(files),
                folder=self._place(name),
                split=split,
            )
        )

    def _settings(self) -> list[str]:
        return [*super()._settings(), self.group_field]

    def _group_setting(self) -> str:
        return f"group_field {self.group_field!r}" if self.group_field else ""

    def _content(self, name: str) -> Iterator[bytes]:
        if self.kind == "icdar2015":
            texts = self._texts_of(name, self._list(name))
            yield from (repr((file, content)).encode() for file, _, content in texts)
            return
        yield from super()._content(name)
        if self.kind == "ppocrlabel":
            with suppress(ArtifactNotFound):
                yield from super()._content(_state_of(name))

    def _list(self, name: str) -> list[str]:
        """Names of the files right in a folder."""
        root = self.place()
        if not root.has_folder(name):
            raise ArtifactNotFound(
                f"no folder {name} in {self.root}, which icdar2015 labels are read from"
            )
        return list(takewhile(lambda file: "/" not in file, root.list_files(name)))

    def _texts_of(self, name: str, files: list[str]) -> Iterator[tuple[str, str, bytes]]:
        """Yield name, place and content of the text files of a folder, as they lie in the root."""
        for file in files:
            if file.lower().endswith(SUFFIX):
                place = f"{name}/{file}"
                with self.place().open_listed(place) as opened:
                    yield file, place, opened.read()

    def _place(self, name: str) -> str:
        """Path relative to the root, forward slashes."""
        root = self.root if isinstance(self.root, Path) else Path()
        return Path(os.path.relpath(root / name, root)).as_posix()

    def _folder_of(self, name: str) -> str:
        """Folder of a label file, relative to the root."""
        return str(PurePosixPath(self._place(name)).parent)

    def _read_states(self, name: str) -> str:
        """The content of `fileState.txt` beside a label file; empty where there is none."""
        try:
            return self._decode(_state_of(name))
        except ArtifactNotFound:
            return ""

    def _decode(self, name: str) -> str:
        with self._open(name) as file:
            return decode_labels(file.read(), encoding=self.encoding, name=shown_name(name))


def _state_of(name: str) -> str:
    return str(Path(name).with_name(FILE_STATE))

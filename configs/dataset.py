"""What to read, how to clean it, how to split it."""

from typing import Literal

from pydantic import Field, model_validator

from configs.base import NAME_PATTERN, FileName, LabelEncoding, Params, PathPattern
from configs.sources import refuse_lmdb_in_bucket, refuse_unread

MAX_PIXELS = 50_000_000
"""Of one image, wherever this process decodes what a person names."""


class LineLimitParams(Params):
    """What an accepted sample looks like; the rest is quarantined."""

    max_text_length: int = Field(80, ge=1, le=1000, description="Longest accepted text, characters")
    min_side_px: int = Field(8, ge=1, description="Smallest accepted image side, pixels")
    max_pixels: int = Field(
        MAX_PIXELS, ge=1, description="Largest accepted image, pixels (guards against bombs)"
    )
    max_bad_share: float = Field(
        0.1, ge=0, le=1, description="Share of bad rows above which the run stops"
    )
    allow_illegible: bool = Field(
        False, description="Learn the texts * and ###; off: they mark what nobody could read"
    )


class TextParams(Params):
    """How texts are written, so that what looks alike is one character to learn."""

    form: Literal["none", "NFC", "NFKC"] = Field(
        "NFC",
        description="Unicode form. NFC joins accents to their letters and leaves full-width "
        "punctuation; NFKC also makes it ASCII, and ligatures letters; none: as labelled",
    )
    white_space: Literal["collapse", "keep"] = Field(
        "collapse",
        description="Every run of spaces, no-break and ideographic ones too, becomes one space; "
        "or all stay as labelled",
    )


class SplitParams(Params):
    """How large the splits are that no labels name."""

    val_share: float = Field(0.1, ge=0, lt=1, description="Share held out for validation")
    test_share: float = Field(0.1, ge=0, lt=1, description="Share held out for the test")
    frozen_test: str = Field(
        "",
        pattern="^([0-9a-f]{64})?$",
        description="Digest of a test split, as prepare prints it, that stays as it is when data "
        "is added; empty: none",
    )


class LineSplitParams(SplitParams):
    """How samples without a split of their own are divided."""

    near_duplicate_bits: int = Field(
        24,
        ge=0,
        le=64,
        description="Bits of the 256-bit perceptual hash by which near-duplicates may differ",
    )


class LineSynthesisParams(Params):
    """Text lines rendered from patterns, a corpus or both."""

    count: int = Field(
        0, ge=0, le=1_000_000, description="Lines to render; beside real data they join train only"
    )
    patterns: list[str] = Field(
        default=[], description="Regular expressions the texts are drawn from"
    )
    corpus: FileName = Field(
        "", description="Text file, relative to root, one line a text; empty: none"
    )
    font_folders: list[str] = Field(
        default=[], description="Folders searched for TTF/OTF fonts besides the system's"
    )
    strength: float = Field(
        1.0, ge=0, le=2, description="Strength of perspective, blur, noise, lighting and JPEG"
    )


class MoreLabelsParams(Params):
    """A further label file beside those of the splits, or a share of it."""

    labels: FileName = Field(
        min_length=1, description="Label file, table or folder, as train_labels"
    )
    split: Literal["train", "val", "test"] = Field("train", description="Split of its rows")
    ratio: float = Field(
        1.0,
        gt=0,
        le=1,
        description="Share of its rows that counts; the seed says which, and rows that join it "
        "move no other in or out",
    )


class MorePagesParams(MoreLabelsParams):
    """A further label file of pages, or a share of it."""

    checked: bool = Field(
        True,
        description="A person checked its labels; false: a model read them (`ocrline annotate "
        "--sure`). Its pages stay in train, and yield to those that somebody labelled",
    )

    @model_validator(mode="after")
    def _check_split(self) -> "MorePagesParams":
        if not self.checked and self.split != "train":
            raise ValueError(
                f"split: {self.split!r} with checked: false, expected 'train': nothing is judged "
                "by labels that nobody checked"
            )
        return self


class LineDatasetParams(Params):
    """One labelled set of text-line images."""

    name: str = Field("lines", pattern=NAME_PATTERN, description="Name of the dataset in the store")
    source: Literal["paddleocr", "table", "folder", "lmdb", "mmocr", "synthetic"] = Field(
        "paddleocr",
        description="PaddleOCR label files, CSV/Parquet tables, a folder whose file names are the "
        "texts, LMDB files as PaddleOCR reads them, MMOCR's JSON, or rendered lines",
    )
    root: FileName = Field(
        ".",
        description="Folder, tar file or s3://bucket/folder that label files and image paths are "
        "relative to",
    )
    train_labels: FileName = Field(
        "rec_train.txt", description="Label file, table or folder of LMDB files of the train split"
    )
    val_labels: FileName = Field(
        "", description="The val split's; empty: split off the train labels"
    )
    test_labels: FileName = Field(
        "", description="The test split's; empty: split off the train labels"
    )
    more_labels: list[MoreLabelsParams] = Field(
        default=[], description="Further label files, each with the share of its rows that counts"
    )
    delimiter: Literal["tab", "space"] = Field(
        "tab", description="What stands between image and text in PaddleOCR label files"
    )
    encoding: LabelEncoding = Field(
        "utf-8",
        description="Encoding of label files, and of names in a tar file (GBK is in gb18030)",
    )
    image_column: str = Field("image", description="Column of image paths in a table")
    text_column: str = Field("text", description="Column of texts in a table")
    group_column: str = Field(
        "", description="Column whose groups stay in one split; empty: by content"
    )
    split_column: str = Field(
        "", description="Column of a table that says train, val or test; empty: by label files"
    )
    group_pattern: PathPattern = Field(
        "",
        description="Regular expression over an image's path; its first group, or all it matches, "
        "names what stays in one split; empty: none",
    )
    charset_file: str = Field(
        "", description="One character a line, relative to root; empty: built from the texts"
    )
    texts: TextParams = Field(default=TextParams(), description="How texts are written")
    limits: LineLimitParams = Field(default=LineLimitParams(), description="What is accepted")
    split: LineSplitParams = Field(default=LineSplitParams(), description="How to split")
    synthesis: LineSynthesisParams = Field(
        default=LineSynthesisParams(), description="Rendered lines"
    )
    seed: int = Field(0, ge=0, description="Seed of splits and synthesis")

    @model_validator(mode="after")
    def _check_root(self) -> "LineDatasetParams":
        refuse_lmdb_in_bucket(self.source, self.root)
        reads_root = bool(self.synthesis.corpus or self.charset_file)
        refuse_unread(self, source=self.source, reads_root=reads_root)
        return self


class PageLimitParams(Params):
    """What an accepted page looks like; the rest is quarantined."""

    max_text_length: int = Field(
        120, ge=1, le=1000, description="Longest text of a line that is learnt, characters"
    )
    min_side_px: int = Field(32, ge=1, description="Smallest accepted side of a page, pixels")
    max_pixels: int = Field(
        MAX_PIXELS, ge=1, description="Largest accepted page, pixels (guards against bombs)"
    )
    max_regions: int = Field(2000, ge=1, description="Most regions on a page")
    max_bad_share: float = Field(
        0.1, ge=0, le=1, description="Share of rejected pages or regions above which the run stops"
    )


class PageSynthesisParams(Params):
    """Rendered pages."""

    count: int = Field(
        0, ge=0, le=100_000, description="Pages to render; beside real data they join train only"
    )
    kinds: list[Literal["invoice", "meter"]] = Field(
        default=["invoice"], min_length=1, description="What is rendered, one after another"
    )
    font_folders: list[str] = Field(
        default=[], description="Folders searched for TTF/OTF fonts besides the system's"
    )
    strength: float = Field(
        1.0, ge=0, le=2, description="Strength of perspective, blur, noise, lighting and JPEG"
    )


class PageSplitParams(SplitParams):
    """How pages without a split of their own are divided, and which are copies of one page."""

    copy_bit_share: float = Field(
        0.2,
        ge=0,
        le=1,
        description="Copies of a page look alike: at most this share of the bits of their "
        "perceptual hashes differs",
    )
    copy_word_share: float = Field(
        0.9,
        ge=0,
        le=1,
        description="Copies of a page read alike: at least this share of their words is on both; "
        "0: looks alone decide",
    )


class PageDatasetParams(Params):
    """One labelled set of pages."""

    name: str = Field("pages", pattern=NAME_PATTERN, description="Name of the dataset in the store")
    source: Literal[
        "paddleocr", "ppocrlabel", "icdar2015", "labelstudio", "coco", "mmocr", "synthetic"
    ] = Field(
        "paddleocr",
        description="PaddleOCR detection labels, a PPOCRLabel project's Label.txt, folders of "
        "ICDAR 2015 text files, a Label Studio, COCO-style or MMOCR JSON file, or rendered pages",
    )
    root: FileName = Field(
        ".",
        description="Folder, tar file or s3://bucket/folder that labels and image paths are "
        "relative to",
    )
    train_labels: FileName = Field("det_train.txt", description="Labels of the train split")
    val_labels: FileName = Field(
        "", description="The val split's; empty: split off the train labels"
    )
    test_labels: FileName = Field(
        "", description="The test split's; empty: split off the train labels"
    )
    more_labels: list[MorePagesParams] = Field(
        default=[], description="Further label files, each with the share of its rows that counts"
    )
    encoding: LabelEncoding = Field(
        "utf-8",
        description="Encoding of label files, and of names in a tar file (GBK is in gb18030)",
    )
    group_pattern: PathPattern = Field(
        "",
        description="Regular expression over an image's path; its first group, or all it matches, "
        "names what stays in one split; empty: none",
    )
    group_field: str = Field(
        "",
        description="Field of a Label Studio task's data or of a COCO image whose values stay in "
        "one split; empty: none",
    )
    texts: TextParams = Field(default=TextParams(), description="How texts are written")
    limits: PageLimitParams = Field(default=PageLimitParams(), description="What is accepted")
    split: PageSplitParams = Field(default=PageSplitParams(), description="How to split")
    synthesis: PageSynthesisParams = Field(
        default=PageSynthesisParams(), description="Rendered pages"
    )
    seed: int = Field(0, ge=0, description="Seed of splits and synthesis")

    @model_validator(mode="after")
    def _check_root(self) -> "PageDatasetParams":
        refuse_unread(self, source=self.source, reads_root=False)
        return self

"""Turns labelled and rendered images into candidates and rejections; looks at each once."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from ocr.dataset.candidate import Candidate, EncodedImage, Label, Row, SampleLabel
from ocr.dataset.examination import Finding, ImageLimits, examine_rendered, examine_rows
from ocr.dataset.inputs import RenderedImage, Survey
from ocr.dataset.process_pool import ProcessPool
from ocr.dataset.quarantine import Fault, Rejection
from ocr.dataset.split import Split
from ocr.dataset.spool import Spool
from ocr.image.pixels import GreyImage

ItemT = TypeVar("ItemT", bound=RenderedImage)
WrittenT = TypeVar("WrittenT", bound=Label)
CheckedT = TypeVar("CheckedT", bound=SampleLabel)


@dataclass(frozen=True)
class Inspector(Generic[ItemT, WrittenT, CheckedT]):
    """What is looked for; lines and pages differ in this.

    Attributes:
        limits: What is accepted of an image.
        batch: Images that a process takes at a time.
        hash_image: Perceptual hash of an image.
        label_of: The label of a rendered image.
        rewrite: A label, its texts as `ocr.dataset.labels.text_rule` writes them.
        find_fault: What is wrong with a label, before its image is opened.
        check: The label to keep of a row whose image is known, or what is wrong with the row.
    """

    limits: ImageLimits
    batch: int
    hash_image: Callable[[GreyImage], bytes]
    label_of: Callable[[ItemT], WrittenT]
    rewrite: Callable[[WrittenT], WrittenT]
    find_fault: Callable[[WrittenT], Fault | None]
    check: Callable[[Row[WrittenT], EncodedImage], CheckedT | Fault]

    def inspect(
        self, survey: Survey[WrittenT, ItemT], *, spool: Spool, pool: ProcessPool
    ) -> Iterator[Candidate[CheckedT] | Rejection]:
        """Inspect labelled images in their order, then rendered ones, which are stored as JPEG.

        Args:
            survey: The inputs; what a reader rejected already passes through.
            spool: Where good images go.
            pool: Looks into images.

        Raises:
            BadData: The label files changed after they were surveyed.
        """
        if survey.labels is not None:
            examined = examine_rows(
                map(self._judge, survey.labels.read()),
                root=survey.labels.place(),
                limits=self.limits,
                spool=spool,
                pool=pool,
                batch=self.batch,
                hash_image=self.hash_image,
            )
            for each in examined:
                yield each if isinstance(each, Rejection) else self._conclude(*each)
            survey.refuse_changes()
        if survey.rendered is not None:
            split: Split | None = None if survey.labels is None else "train"
            yield from self._inspect_rendered(survey.rendered.items, split=split, spool=spool)

    def _inspect_rendered(
        self, items: Iterable[ItemT], *, split: Split | None, spool: Spool
    ) -> Iterator[Candidate[CheckedT] | Rejection]:
        with spool.appending() as file:
            for number, item in enumerate(items, start=1):
                where = f"{item.source}:{number}"
                row = self._judge(Row("", self.label_of(item), split, "", item.source, where))
                if isinstance(row, Rejection):
                    yield row
                    continue
                found = examine_rendered(
                    item.image, limits=self.limits, file=file, hash_image=self.hash_image
                )
                yield self._conclude(row, found)

    def _judge(self, row: Row[WrittenT] | Rejection) -> Row[WrittenT] | Rejection:
        if isinstance(row, Rejection):
            return row
        row = row._replace(label=self.rewrite(row.label))
        fault = self.find_fault(row.label)
        return row if fault is None else row.reject(*fault)

    def _conclude(self, row: Row[WrittenT], found: Finding) -> Candidate[CheckedT] | Rejection:
        if isinstance(found, Fault):
            return row.reject(*found)
        label = self.check(row, found)
        if isinstance(label, Fault):
            return row.reject(*label)
        checked = Row(row.image, label, row.split, row.group, row.source, row.where)
        return Candidate(checked, found)

"""RapidOCR, with boxes that begin where reading begins; imported only where the package is."""

from typing import Any

import numpy as np
from rapidocr import RapidOCR

from ocr.image.cropping import UPRIGHT_ASPECT

_HALF_TURN = "180"


class TurnedRapidOcr(RapidOCR):  # type: ignore[misc]  # the package has no types
    """The engine; it turns lines that its classifier calls upside down, and tells nobody."""

    def build_final_output(
        self, ori_img: Any, det_res: Any, cls_res: Any, *others: Any, **named: Any
    ) -> Any:
        """Let the box of each turned line begin there before what was found is put together."""
        if det_res.boxes is not None and cls_res.cls_res is not None:
            for number, (label, score) in enumerate(cls_res.cls_res):
                if _HALF_TURN in label and score > self.text_cls.cls_thresh:
                    det_res.boxes[number] = _turn(det_res.boxes[number])
        return super().build_final_output(ori_img, det_res, cls_res, *others, **named)


def _turn(box: Any) -> Any:
    """Let the corners (4, 2) of a line begin at its other end; of one on its side, below."""
    width, height = (np.linalg.norm(box[0] - box[corner]) for corner in (1, 3))
    return np.roll(box, 1 if height >= UPRIGHT_ASPECT * width else 2, axis=0)

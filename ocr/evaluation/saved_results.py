"""Results that PaddleOCR 3 and PaddleX save, a JSON file an image, as the rows of one file.

Written by `paddleocr ocr -i FOLDER --save_path RESULTS`, by `paddleocr text_recognition`, and by
`save_to_json` (paddlex/inference/pipelines/ocr, paddlex/inference/models/text_recognition).
"""

import json
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from ocr.errors import BadData

_TURNED = "use_doc_orientation_classify"
_UNWARPED = "use_doc_unwarping"


class _Line(BaseModel):
    input_path: str
    rec_text: str
    rec_score: float

    def to_row(self) -> str:
        return f"{self.input_path}\t{self.rec_text.replace(chr(9), ' ')}\t{self.rec_score}"


class _Prepared(BaseModel):
    model_settings: dict[str, bool] = {}
    angle: int = 0

    def moved_by(self) -> str:
        """Return the option by which boxes are not on the page as it came; empty: they are."""
        if self.model_settings.get(_UNWARPED):
            return _UNWARPED
        return _TURNED if self.angle > 0 else ""


class _Page(BaseModel):
    input_path: str
    rec_texts: list[str]
    rec_scores: list[float]
    rec_polys: list[list[tuple[float, float]]]
    doc_preprocessor_res: _Prepared = _Prepared()

    def to_row(self) -> str:
        if option := self.doc_preprocessor_res.moved_by():
            raise ValueError(
                f"its boxes are not on the page as it came; read it with {option}=False"
            )
        if not len(self.rec_texts) == len(self.rec_polys) == len(self.rec_scores):
            raise ValueError("rec_texts, rec_polys and rec_scores differ in length")
        regions = [
            {"transcription": text, "points": points, "score": score}
            for text, points, score in zip(
                self.rec_texts, self.rec_polys, self.rec_scores, strict=True
            )
        ]
        return f"{self.input_path}\t{json.dumps(regions)}"


_RESULT: TypeAdapter[_Line | _Page] = TypeAdapter(_Line | _Page)


def rows_of_results(folder: Path) -> bytes:
    """Write what the JSON files of a folder say as `ocr.evaluation.elsewhere` reads it.

    Raises:
        BadData: There is none, or one is no such result.
    """
    files = sorted(folder.glob("*.json"))
    if not files:
        raise BadData(f"{folder} holds no .json, expected those that PaddleOCR saves")
    return "\n".join(map(_to_row, files)).encode()


def _to_row(file: Path) -> str:
    try:
        return _RESULT.validate_json(file.read_bytes()).to_row()
    except ValidationError as error:
        first = error.errors()[-1]
        where = ".".join(map(str, first["loc"][1:]))
        raise BadData(f"{file} is no result of PaddleOCR: {where} {first['msg']}") from error
    except ValueError as error:
        raise BadData(f"{file}: {error}") from error

"""PDFs and TIFFs for tests, written byte by byte or by a library."""

import io
from collections.abc import Sequence

import numpy as np
import PIL.Image
import pypdfium2 as pdfium

from ocr.image.pixels import Image

A4_PT = (595, 842)


def make_pdf(
    *,
    pages: int = 1,
    size_pt: tuple[float, float] = A4_PT,
    drawing: str = "",
    catalog: str = "",
    page: str = "",
    trailer: str = "",
    extra: Sequence[str] = (),
) -> bytes:
    """Write a PDF whose pages all draw the same: a content stream as in ISO 32000-1, annex A."""
    kids = " ".join(f"{index + 4} 0 R" for index in range(pages))
    box = f"[0 0 {size_pt[0]} {size_pt[1]}]"
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {catalog} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>",
        f"<< /Length {len(drawing)} >>\nstream\n{drawing}\nendstream",
        *[f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Contents 3 0 R {page} >>"] * pages,
        *extra,
    ]
    file = io.BytesIO(b"%PDF-1.7\n")
    file.seek(0, io.SEEK_END)
    places = []
    for number, content in enumerate(objects, 1):
        places.append(file.tell())
        file.write(f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1"))
    table = file.tell()
    file.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    file.write("".join(f"{place:010} 00000 n \n" for place in places).encode())
    root = f"<< /Size {len(objects) + 1} /Root 1 0 R {trailer} >>"
    file.write(f"trailer\n{root}\nstartxref\n{table}\n%%EOF\n".encode())
    return file.getvalue()


def encrypted_pdf() -> bytes:
    """Make a PDF that opens with a password only."""
    secret = "00" * 32
    lock = (
        f"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{secret}> /U <{secret}> >> "
        f"/ID [<{'00' * 16}> <{'00' * 16}>]"
    )
    return make_pdf(trailer=lock)


def image_pdf(images: Sequence[Image], *, dpi: int) -> bytes:
    """Write one page per image, as a scanner does, but without a loss."""
    document = pdfium.PdfDocument.new()
    for image in images:
        height_pt, width_pt = (72 / dpi * side_px for side_px in image.shape[:2])
        scan = pdfium.PdfImage.new(document)
        scan.set_bitmap(pdfium.PdfBitmap.from_pil(_pillow(image)))
        scan.set_matrix(pdfium.PdfMatrix().scale(width_pt, height_pt))
        page = document.new_page(width_pt, height_pt)
        page.insert_obj(scan)
        page.gen_content()
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def joined_pdf(documents: Sequence[bytes]) -> bytes:
    """Join the pages of documents."""
    joined = pdfium.PdfDocument.new()
    for document in documents:
        joined.import_pages(pdfium.PdfDocument(document))
    file = io.BytesIO()
    joined.save(file)
    return file.getvalue()


def tiff(images: Sequence[Image]) -> bytes:
    first, *others = map(_pillow, images)
    file = io.BytesIO()
    first.save(file, "TIFF", compression="tiff_deflate", save_all=True, append_images=others)
    return file.getvalue()


def _pillow(image: Image) -> PIL.Image.Image:
    return PIL.Image.fromarray(np.ascontiguousarray(image[..., ::-1]))

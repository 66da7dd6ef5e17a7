"""`POST /v1/ocr`: a document in, its lines out.

- `routes` – the route
- `request` – from a request to a document and what is wanted of it
- `reader` – reads its pages
- `answer` – what the answer holds
- `json_lines` – an answer that begins before all pages are read
- `placed_text` – texts and where they stand, for `hocr` and `searchable_pdf` to write
- `hocr` – a document's lines as hOCR
- `searchable_pdf` – its pictures as a PDF with text to search; of a `pdf_file`, in a
  `glyphless_font`
"""

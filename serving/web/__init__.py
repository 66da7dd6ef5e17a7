"""The pages that a browser shows; nothing in them comes from elsewhere.

- `demo_page` – the page at `/`, whose files are in `page/`
- `docs_page` – the page at `/docs`, made from the OpenAPI description
"""

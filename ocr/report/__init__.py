"""The report of a candidate: one HTML file, and its short form in Markdown.

What both kinds share stands here; `lines` and `pages` have files of the same names:

1. `html` – renders a template with what every report shows.
2. `layout.html.jinja` – the page; `pieces.html.jinja`: parts of it, `report.css`: its style.
3. `markdown` – the short form, for a Prefect artifact; `summary`: the numbers that decided.
4. `tables` – the rows of metrics, slices and confusions.
5. `charts` – estimates with their whiskers, and curves; `svg`: what they are drawn with.
6. `training`, `trend` – the curves of a training, a metric over versions (`history.html.jinja`).
7. `gallery` – readings with their errors marked, and images within the file; `gallery.css`.
8. `suspects` – test labels that are probably wrong.
9. `lineage` – what made a candidate.
10. `lines` – the report of a recogniser.
11. `pages` – the report of a pipeline.
"""

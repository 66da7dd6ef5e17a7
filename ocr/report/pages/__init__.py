"""The report of a pipeline on whole pages.

1. `html` – the whole report; `report.html.jinja`: what only it shows.
2. `markdown` – the short form.
3. `metrics` – how the metrics are shown.
4. `losses` – how it is shown why lines are not read.
5. `gallery` – the worst pages, with what was found drawn over them; `gallery.css`: their style.
"""

"""The report of a recogniser on lines.

1. `html` – the whole report; `report.html.jinja`: what only it shows.
2. `markdown` – the short form.
3. `metrics` – how the metrics are shown.
4. `gallery` – the misread lines worth looking at.
5. `calibration` – accuracy over confidence as a chart.
"""

"""How well the lines of whole pages are found and read.

1. `evaluate` – a reader on pages, and two beside each other: start here.
2. `reading` – every page as it was read.
3. `matching` – which found box is which labelled region.
4. `counts` – what is right and wrong on one page.
5. `metrics` – Hmean, precision, recall and 1-NED of pages, summed up from the counts.
6. `comparison` – candidate against opponent, or against a required Hmean.
7. `slices` – the parts of the labelled lines; `losses` – why some are not read.
8. `report` – what an evaluation found.
9. `detection` – the score of a detector alone; its training uses it.
10. `int8` – what finding lines in 8 bits costs and saves.
11. `gaps` – where lines end that a detector takes for one: learnt, and what it gains.
12. `set_aside` – which lines are set aside; `choice` – how such ways of reading are chosen.
"""

"""How well lines are read.

1. `evaluate` – a recogniser on lines, and two beside each other: start here.
2. `reading` – every line as it was read.
3. `metrics` – accuracy, 1-NED and CER, line by line and summed up.
4. `comparison` – candidate against opponent, or against a required accuracy.
5. `calibration` – whether a confidence means what it says.
6. `slices` – the parts of the test.
7. `report` – what an evaluation found.
8. `text_gain` – how much a text model helps, and with which weight.
9. `cascade` – which lines a second recogniser has time for, and what that gains.
10. `int8` – what reading in 8 bits costs and saves.
"""

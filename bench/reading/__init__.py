"""What each part of reading gains and costs: the command is python -m bench.reading.

1. `lines` – the labelled test lines, and what a detector finds of them.
2. `readers` – who reads them: a model off the shelf, nets, nets with their texts, cascades.
3. `learnt` – who was trained on what it reads.
4. `table` – what is right, what that gains beside another row, and what it costs.
5. `doubling` – a command of its own: what boxes gain by a smoothly doubled map.
"""

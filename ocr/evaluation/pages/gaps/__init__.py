"""Gap models: learnt from labelled pages, and used where they help on others.

- `examples` – gaps of labelled pages, and whether a line ends at them
- `fit` – the weights that tell them apart
- `gain` – above which probability lines are cut, and what that changes on validation pages
"""

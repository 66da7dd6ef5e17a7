"""The `ocrline` command: one file per subcommand, each of which says what it prints.

- `main` – all commands, and how an error becomes one line and an exit code
- `options`, `output` – what several commands share: options; tables for people, JSON for machines
- `planning/` – what a training needs, said before it runs
- `retrain`, `prepare`, `convert` – starts the services and runs a flow; only the dataset: to a
  snapshot, to labels for other tools
- `annotate`, `recognise_batch` – unlabelled pages to proposed labels, many files to tables
- `reading` – loads the model that `predict`, `annotate` and `evaluate` read with
- `models/`, `people/` – the registry: what is there, whence it came, what became of it; who is
  asked before it changes, and told
- `operating/` – what runs day after day
- `keeping/` – backup and restore; what nobody needs any more
- `stack/`, `serving/` – all that a machine runs, up and down; the gateway alone, and who may ask
- `doctor` – what this machine has and lacks, and how to mend it
- `demo` – what `make demo` runs
"""

import os

# Prefect reports what one does in a terminal to its maker, unless told not to before it is loaded.
os.environ["DO_NOT_TRACK"] = "1"

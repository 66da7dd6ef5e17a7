"""Prefect flows: what is chained with what; each stage finds what the same inputs gave before.

- `retrain_lines` – labelled lines to a recogniser that answers
- `retrain_pages` – labelled pages to a detector and a recogniser that answer as one pipeline
- `watch_lines`, `watch_pages` – whether enough new labelled data is there to retrain
- `promote`, `rollback` – another version online by hand, proven or taken back
- `evaluate` – one model measured on one label file
- `recognise_batch` – a folder, a tar file or objects to tables of their lines
- `prune_store` – what nobody needs any more, shown or removed
- `notify` – tells people of what no process of ours is left to tell
- `stages` – the names of the stages of a retraining, and how a flow stops after one
"""

"""The training loop: any net, on any number of ranks, killed at any moment and resumed.

- `trainee` – what the loop trains: all in which a detector differs from a recogniser
- `loop` – learn, report, validate, keep
- `learner` – net and optimizer: one step
- `selection` – averaged weights, and which of them a run leaves
- `schedule` – learning rate, validations and reports as functions of the step
- `loading` – batches made ahead in threads
- `state` – a running training on disk, all or nothing
- `checkpoint` – a finished net on disk
- `ranks` – this process among the others
- `guards` – what ends a training that cannot go on
- `meter` – loss and speed
- `progress` – metrics.jsonl
"""

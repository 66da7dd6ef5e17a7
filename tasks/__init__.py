"""One thin Prefect task per stage: it wraps one call of the domain or one job.

In the order of the stages:

- `sweep` – what killed runs left on this machine is removed (`keeping/`: what else nobody needs,
  and the history of runs in MLflow)
- `prepare_lines`, `prepare_pages` – labelled or rendered images to a snapshot (`preparation`
  tells a person of both)
- `starting/`, `train` – a recogniser or a detector, in a process of its own, a short one first
- `export`, `assembling/` – a checkpoint to a registered bundle, two of them to one version of a
  pipeline
- `evaluate` – lines or pages, beside the opponent, and on further sets (`measuring`)
- `judging/`, `approving/` – of lines or of pages: the gate, and the report; a person is asked
- `deploy` – promotion, proof and the way back (`gateway_client` asks the gateway, which is at
  `gateway_address`)

Besides a retraining:

- `batch/` – many files to tables of their lines

What they share:

- `references` – what a stage passes to the next
- `engine` – what trains: our own code, or PaddleOCR's tree and runtime; the champion to start from
- `workspace` – the store and the local folder (`readers` loads models from both)
- `run`, `notifying/` – how a job is run, watched, told of and tried again; which people are told
"""

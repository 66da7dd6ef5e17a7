"""What goes on while tasks run: their jobs, and what a person sees of them.

- `jobs` – runs a job and hands on what it leaves, wherever it runs
- `process`, `container` – where: in a process of this machine, or in a container
- `usage` – what a training took beside what was expected, and what the next one will
- `failure` – what a person sees in the Prefect UI of a job that failed
- `alone` – one run of this machine at a time makes a thing, the others wait for it
- `leftovers` – what killed runs left on this machine
- `copies` – what was fetched to this machine, and is long unused
- `together` – two tasks at the same time, of which the first error ends both
- `retries` – which failures are worth another try
- `wording` – a job's `training`, in the words of the form that asked for it
- `narration` – a line in the terminal and in the run's log
- `progress` – bars in the terminal, progress artifacts in the Prefect UI
"""

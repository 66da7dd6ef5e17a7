"""The machine that works: what it has and lacks, what a training asks of it, what it fails of.

To look at one more thing: a function that takes a `Machine` and returns a `Finding`, and a line in
`cli/doctor.py` (seen by a person) or in `training` (asked for by a job), or in both.

- `finding` – fine, risky, broken or absent, and how to mend it
- `machine` – how a machine is asked: programs, the environment, /proc and /dev, packages
- `nvidia`, `gpus`, `ladder` – NVIDIA's driver, how many GPUs there are, and what stands between one
  and Paddle, rung by rung
- `packages` – the Paddle that is installed, and versions beside the lock
- `asked` – cores, memory, files and the kind of GPU that a job asks for
- `limits`, `memory` – disk, shared memory, files, stack, locked memory; what is free of memory
- `clock` – the wall clock beside the store's
- `docker` – what runs jobs in containers
- `failures` – what a log or an exit status means
- `usage`, `owner` – what a job takes; whose a process is, this one too, and who listens at a port
- `planning/` – what one like it is going to take, and on what it fits
- `training` – all that a training asks for, and its refusal where it cannot work
"""

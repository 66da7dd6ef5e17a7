"""A job in a container: `docker run` beside us is its process, and standard input its lifeline."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from typing import IO
from urllib.parse import unquote, urlsplit

from configs.jobs import ContainerTask, ExportJob, TrainJob, TrainPaddleOcrJob
from configs.settings import Settings
from ocr.errors import BadInput, OcrError, TrainingFailed
from ocr.machine.docker import check_docker
from ocr.machine.machine import Machine
from ocr.models.provenance import describe_code, name_code
from tasks.run.process import GRACE_S, end_process

GIBIBYTE = 2**30
TUNING = ("FLAGS_", "GLOO_", "NCCL_", "OMP_")
"""Variables that a container is told of as well."""
KEYS = "MINIO_"
DOCKER_FAILED = 125
NO_COMMAND = (126, 127)


class JobContainer:
    """One job of one folder; its container has a name that no other of this machine has."""

    def __init__(self, job: TrainJob | ExportJob) -> None:
        self._job = job
        self._resources = job.resources
        self._devices: list[str] | None = None
        if job.resources.device == "gpu" and isinstance(job, TrainJob):
            shown = os.environ.get("CUDA_VISIBLE_DEVICES", "")
            self._devices = [name.strip() for name in shown.split(",") if name.strip()]
        self._name = ""
        self._lacked_memory = False

    def start(
        self, kind: str, folder: Path, *, out: IO[bytes], err: IO[bytes], inherit: Sequence[int]
    ) -> "subprocess.Popen[bytes]":
        """Start it; what a killed run left of its container is ended first.

        The lock of the folder goes to `docker run`, which lives as long as the container and ends
        it when it dies: standard input is then at its end.
        """
        self._name = f"ocrline-{sha256(str(folder).encode()).hexdigest()[:16]}"
        self._remove()
        command = ["docker", "run", *self._options(folder), self._resources.image]
        try:
            process = subprocess.Popen(
                [*command, "python", "-m", "training", kind, str(folder / "job.json")],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=err,
                pass_fds=inherit,
            )
        except FileNotFoundError:
            raise BadInput(_what_is_broken(self._resources.image) or "docker is gone") from None
        if process.stdin is not None:
            with suppress(BrokenPipeError):  # it has ended; its status says why
                process.stdin.write(self._first_line())
                process.stdin.flush()
        return process

    def find_job(self, process: "subprocess.Popen[bytes]") -> int:  # noqa: ARG002 - as of any
        """Ask docker, whose client was started, for the first process within."""
        said = _ask("inspect", "--format", "{{.State.Pid}}", self._name)
        return int(said) if said.isdigit() else 0

    def end(self, process: "subprocess.Popen[bytes]") -> None:
        """End it, if it has not, and remove the container."""
        end_process(process)
        if process.stdin is not None:
            with suppress(BrokenPipeError):
                process.stdin.close()
        state = _ask("inspect", "--format", "{{.State.OOMKilled}}", self._name)
        self._lacked_memory = state == "true"
        self._remove()

    def explain(self, status: int, said: str) -> OcrError | None:
        """Say what a container ended of that its job could not say itself.

        Args:
            status: Of `docker run`: the job's, or one of docker's own.
            said: The last line of its errors.
        """
        resources = self._resources
        if self._lacked_memory:
            has = f" of {resources.memory_gib:g} GiB" * bool(resources.memory_gib)
            return TrainingFailed(
                f"The container has no memory left{has}; raise resources.memory_gib, or lower "
                "training.batch_size or resources.devices"
            )
        if status == DOCKER_FAILED:
            return BadInput(_what_is_broken(resources.image, self._gpus) or said)
        if status in NO_COMMAND:
            image = f"resources.image: {resources.image} is no image of jobs"
            return BadInput(f"{image}: {said}; build one: make image")
        return None

    @property
    def _gpus(self) -> int:
        return 0 if self._devices is None else self._resources.devices

    def _options(self, folder: Path) -> Iterator[str]:
        """Yield what the container may do: its folder, what it reads, and little else."""
        resources = self._resources
        yield from ("--name", self._name, "--interactive", "--init", "--pull", "never")
        yield from ("--log-driver", "none", "--workdir", str(Path.cwd()))
        yield from ("--user", f"{os.getuid()}:{os.getgid()}", "--cap-drop", "ALL")
        yield from ("--security-opt", "no-new-privileges", "--read-only", "--tmpfs", "/tmp")  # noqa: S108
        yield from ("--network", self._network())
        yield from ("--mount", _bind(folder))
        for path in self._read():
            yield from ("--mount", f"{_bind(path)},readonly")
        for variable in ("OCRLINE_TASK_ON_STDIN", "PYTHONSAFEPATH"):
            yield from ("--env", f"{variable}=1")
        if resources.cpus:
            yield from ("--cpus", f"{resources.cpus:g}")
        if resources.memory_gib:
            size = str(int(resources.memory_gib * GIBIBYTE))
            yield from ("--memory", size, "--memory-swap", size)
        if resources.shared_memory_gib:
            yield from ("--shm-size", str(int(resources.shared_memory_gib * GIBIBYTE)))
        if resources.open_files:
            yield from ("--ulimit", f"nofile={resources.open_files}:{resources.open_files}")
        if self._gpus:
            shown = ",".join((self._devices or [])[: self._gpus])
            yield from ("--gpus", f'"device={shown}"' if shown else str(self._gpus))
            yield from ("--ulimit", "memlock=-1")  # NCCL pins what GPUs exchange

    def _read(self) -> Iterator[Path]:
        """Yield the folders and files outside its own that the job reads."""
        scheme, separator, path = self._job.store.partition("://")
        if scheme == "file" or not separator:
            yield Path(path or scheme)
        if isinstance(self._job, TrainPaddleOcrJob):
            yield Path(self._job.runtime.home)
            for weights in self._job.training.sources:
                address = urlsplit(weights)
                if address.scheme == "file":
                    yield Path(unquote(address.path))
                elif not address.scheme:
                    yield Path(weights).absolute()

    def _network(self) -> str:
        """Return what it may reach: nothing, unless it has to; no port is published."""
        job = self._job
        if isinstance(job, TrainJob) and job.resources.nodes > 1:
            return "host"  # its address is where the ranks of the others meet it
        if job.store.startswith("s3://"):
            return "host" if _is_loopback(Settings().s3_endpoint) else "bridge"
        sources = job.training.sources if isinstance(job, TrainPaddleOcrJob) else ()
        remote = any(source.startswith(("http://", "https://")) for source in sources)
        return "bridge" if remote else "none"

    def _first_line(self) -> bytes:
        """Return what the job is to know and docker is not: the keys of the store."""
        told = (*TUNING, KEYS) if self._job.store.startswith("s3://") else TUNING
        task = ContainerTask(
            code=describe_code(self._job.kind),
            commit=name_code(),
            environment={k: v for k, v in os.environ.items() if k.startswith(told)},
        )
        return task.model_dump_json().encode() + b"\n"

    def _remove(self) -> None:
        """End the container, if it still runs, and remove it."""
        _ask("stop", "--time", str(GRACE_S), self._name)
        _ask("rm", "--force", self._name)


def _what_is_broken(image: str, gpus: int = 0) -> str:
    findings = check_docker(Machine.here(), image=image, gpus=gpus)
    return next((str(each) for each in findings if each.verdict == "broken"), "")


def _ask(*question: str) -> str:
    answer = Machine.here().ask("docker", *question, timeout_s=2 * GRACE_S)
    return answer.output.strip() if answer else ""


def _bind(path: Path) -> str:
    """Return a mount at the same place within; docker reads it as a line of CSV."""
    named = str(path).replace('"', '""')
    return f'type=bind,"src={named}","dst={named}"'


def _is_loopback(endpoint: str) -> bool:
    host = urlsplit(f"//{endpoint}").hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

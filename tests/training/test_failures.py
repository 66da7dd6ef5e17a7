"""Messages that Paddle was seen to fail with, and what a user is told."""

import subprocess
import sys
from pathlib import Path

import pytest

from configs.jobs import TrainRecogniserJob
from ocr.errors import OcrError, TrainingFailed
from tests.training.recognition.toy_lines import write_recogniser_job
from tests.training.running import ROOT
from training.failures import explain, explain_logs
from training.job import read_job
from training.train import fetch_snapshot

GPU_MEMORY = """

--------------------------------------
C++ Traceback (most recent call last):
--------------------------------------
0   paddle::memory::allocation::CUDAAllocator::AllocateImpl(unsigned long)

----------------------
Error Message Summary:
----------------------
ResourceExhaustedError:

Out of memory error on GPU 0. Cannot allocate 98.000244MB memory on GPU 0, 6.000000GB memory has \
been allocated and available memory is only 12.500000MB.

Please check whether there is any other process using GPU 0.
1. If yes, please stop them, or start PaddlePaddle on another GPU.
2. If no, please decrease the batch size of your model.
 (at /paddle/paddle/fluid/memory/allocation/cuda_allocator.cc:86)
"""
CUDA_MEMORY = """(External) CUDA error(2), out of memory.
  [Hint: 'cudaErrorMemoryAllocation'. The API call failed because it was unable to allocate enough \
memory to perform the requested operation. ] (at /paddle/paddle/phi/backends/gpu/gpu_info.cc:240)
"""
PADDLE_HOST_MEMORY = """(ResourceExhausted) Fail to alloc memory of 40000000000000 size, error \
code is 12.
  [Hint: Expected error == 0, but received error:12 != 0:0.] (at /paddle/paddle/phi/core/memory/\
allocation/cpu_allocator.cc:44)
"""
NUMPY_HOST_MEMORY = "Unable to allocate 36.4 TiB for an array with shape (5000000000000,)"
NCCL_USAGE = """(External) NCCL error(5), invalid usage.
  [Hint: 'ncclInvalidUsage'. The call to NCCL is incorrect. This is usually reflecting a \
programming error.] (at /paddle/Paddle/paddle/fluid/distributed/collective/ProcessGroupNCCL.cc:214)
"""
NCCL_SYSTEM = """(External) NCCL error(2), unhandled system error.
  [Hint: Please search for the error code(2) on website (https://docs.nvidia.com/deeplearning/nccl/\
user-guide/docs/api/types.html#ncclresult-t) to get Nvidia's official solution and advice about \
NCCL Error.] (at /paddle/paddle/fluid/distributed/collective/ProcessGroupNCCL.cc:236)
"""
NCCL_PRINTED = (
    "Failed, NCCL error /paddle/paddle/fluid/distributed/collective/NCCLTools.h:227 "
    "'unhandled cuda error'\n"
)
GLOO = (
    "[/paddle/third_party/gloo/gloo/transport/tcp/pair.cc:589] Read error [127.0.0.1]:36178: "
    "Connection reset by peer"
)


@pytest.mark.parametrize(
    ("message", "kind", "words"),
    [
        (GPU_MEMORY, TrainingFailed, ["GPU 0", "98.000244MB", "12.500000MB", "batch_size", "amp"]),
        (CUDA_MEMORY, TrainingFailed, ["no memory left", "batch_size", "nvidia-smi"]),
        (PADDLE_HOST_MEMORY, TrainingFailed, ["This machine", "resources.devices"]),
        (NUMPY_HOST_MEMORY, TrainingFailed, ["This machine", "resources.devices"]),
        (NCCL_USAGE, OcrError, ["failed: invalid usage;", "NCCL_DEBUG=INFO", "--shm-size"]),
        (NCCL_SYSTEM, OcrError, ["failed: unhandled system error;"]),
        (NCCL_PRINTED, OcrError, ["failed: unhandled cuda error;"]),
        (GLOO, OcrError, ["Lost touch with another rank"]),
    ],
)
def test_a_known_failure_says_what_to_change(
    message: str, kind: type[OcrError], words: list[str]
) -> None:
    known = explain(message)

    assert type(known) is kind
    assert [word for word in words if word not in str(known)] == []
    assert "\n" not in str(known)


def test_a_failure_that_nobody_knows_is_not_explained_away() -> None:
    assert explain("ValueError: operands could not be broadcast together") is None


def test_the_logs_of_ranks_are_looked_through(tmp_path: Path) -> None:
    (tmp_path / "workerlog.0").write_text("all is well\n" * 20_000, encoding="utf-8")
    (tmp_path / "workerlog.1").write_text("x" * 200_000 + NCCL_PRINTED, encoding="utf-8")

    known = explain_logs(tmp_path)

    assert known is not None
    assert "unhandled cuda error" in str(known)
    assert explain_logs(tmp_path / "none") is None


BROKEN_NET = """
import sys
from training.__main__ import main
from training.environment import prepare_environment
prepare_environment()
from training.loop.learner import Learner
def learn(self, batch, **_):
    raise MemoryError({message!r})
Learner.learn = learn
sys.exit(main([sys.argv[1], sys.argv[2]]))
"""


@pytest.mark.parametrize("command", ["train-recogniser", "rank-recogniser"])
def test_a_sentence_comes_last_and_the_original_stays_in_the_log(
    command: str, digits: dict[str, str], tmp_path: Path
) -> None:
    job = write_recogniser_job(tmp_path, digits, composition={"enabled": False})
    fetch_snapshot(read_job(job, TrainRecogniserJob), tmp_path)

    process = subprocess.run(
        [sys.executable, "-c", BROKEN_NET.format(message=GPU_MEMORY), command, str(job)],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert process.returncode == TrainingFailed.exit_code
    assert process.stderr.splitlines()[-1].startswith("error: GPU 0 has no memory left: 98.")
    assert "cuda_allocator.cc:86" in process.stderr
    assert "in learn" in process.stderr
    if command == "rank-recogniser":
        assert "GPU 0 has no memory left" in (tmp_path / "failure.json").read_text()

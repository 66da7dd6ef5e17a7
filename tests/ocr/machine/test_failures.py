"""Messages that Paddle was seen to fail with, and what a user is told."""

import signal
from pathlib import Path

import pytest

from ocr.errors import OcrError, TrainingFailed
from ocr.machine.failures import explain, explain_logs, explain_status

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
BUS = (
    "ERROR: Unexpected BUS error encountered in DataLoader worker. This might be caused by "
    "insufficient shared memory (shm), please check whether use_shared_memory is set and storage "
    "space in /dev/shm is enough"
)
FATAL_BUS = """FatalError: `Access to an undefined portion of a memory object` is detected by the \
operating system.
  [SignalInfo: *** SIGBUS (@0x7f1c) received by PID 31 (TID 0x7f1c) from PID 28 ***]
"""
SHARED = """(Unavailable) Memory map failed when create shared memory.
  [Hint: Expected ptr != ((void *) -1), but received ptr:0xffffffffffffffff == ((void *) -1)]
"""
WORKERS = "RuntimeError: DataLoader 1 workers exit unexpectedly, pids: 25741"
CUDART = "(PreconditionNotMet) Cannot load cudart shared library. Cannot invoke method cudaMalloc."
CUDNN = (
    "(PreconditionNotMet) The third-party dynamic library (libcudnn.so) that Paddle depends on is "
    "not configured correctly. (error code is libcudnn.so: cannot open shared object file: No such "
    "file or directory)"
)
CUDA_FORKED = """OSError: (External) CUDA error(3), initialization error.
  [Hint: 'cudaErrorInitializationError'. The API call failed because the CUDA driver and runtime \
could not be initialized. ] (at /paddle/paddle/phi/backends/gpu/cuda/cuda_info.cc:172)
"""
CUDA_DRIVER = """(External) CUDA error(35), CUDA driver version is insufficient for CUDA runtime \
version. """
CUDA_NONE = "(External) CUDA error(100), no CUDA-capable device is detected."
CUDA_KIND = "(External) CUDA error(209), no kernel image is available for execution on the device."
NCCL_TIMEOUT = (
    "W1122 10:00:00 41 comm_task_manager.cc:146] Find timeout start but not finish task:"
    "group_key:0,group_ranks:0,1,global_rank:1,op:ALLREDUCE,started:1,completed:0,nranks:2"
)
NCCL_REMOTE = """Find nccl comm error: ncclRemoteError: A call failed possibly due to a network \
error or a remote process exiting prematurely."""
DISK = "OSError: [Errno 28] No space left on device: '/dev/shm/paddle_0'"
GLOO = (
    "[/paddle/third_party/gloo/gloo/transport/tcp/pair.cc:589] Read error [127.0.0.1]:36178: "
    "Connection reset by peer"
)
STORE = "ValueError: (InvalidArgument) TCP send error. Details: Broken pipe."
TERMINATED = """terminate called after throwing an instance of 'std::invalid_argument'
  what():  stoll


--------------------------------------
C++ Traceback (most recent call last):
"""
BAD_ALLOC = TERMINATED.replace("std::invalid_argument", "std::bad_alloc")
CORRUPTED = "I1126 tcp_utils.cc:132] Successfully connected\ndouble free or corruption (out)\n"


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
        (BUS, TrainingFailed, ["Bus error", "/dev/shm", "--shm-size 8g", "workers"]),
        (FATAL_BUS, TrainingFailed, ["Bus error", "--shm-size 8g"]),
        (SHARED, TrainingFailed, ["Bus error", "--shm-size 8g"]),
        (f"{WORKERS}\n{BUS}", TrainingFailed, ["Bus error", "--shm-size 8g"]),
        (WORKERS, TrainingFailed, ["loading process was killed", "dmesg", "--memory"]),
        (DISK, TrainingFailed, ["full", "df -h", "OCRLINE_HOME"]),
        (CUDART, TrainingFailed, ["does not find cudart", "LD_LIBRARY_PATH"]),
        (CUDNN, TrainingFailed, ["does not find libcudnn.so", "pip check"]),
        (CUDA_FORKED, TrainingFailed, ["CUDA error 3", "forked", "workers: 0"]),
        (CUDA_DRIVER, TrainingFailed, ["driver is older", "525", "ocrline doctor"]),
        (CUDA_NONE, TrainingFailed, ["sees no GPU", "ocrline doctor"]),
        (CUDA_KIND, TrainingFailed, ["GPU of this kind", "newer CUDA"]),
        (NCCL_TIMEOUT, OcrError, ["NCCL timeout", "NCCL_SOCKET_IFNAME", "run again"]),
        (NCCL_REMOTE, OcrError, ["NCCL timeout", "logs of the other ranks"]),
        (GLOO, OcrError, ["Lost touch with another rank"]),
        (STORE, OcrError, ["Lost touch with another rank"]),
        (TERMINATED, OcrError, ["terminate called", "what(): stoll", "run again"]),
        (BAD_ALLOC, TrainingFailed, ["This machine", "resources.devices"]),
        (CORRUPTED, OcrError, ["double free or corruption (out)", "run again"]),
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


def test_the_most_telling_of_all_logs_is_told(tmp_path: Path) -> None:
    (tmp_path / "workerlog.0").write_text(TERMINATED, encoding="utf-8")
    (tmp_path / "workerlog.1").write_text(BUS, encoding="utf-8")

    assert "Bus error" in str(explain_logs(tmp_path))


def test_what_only_begins_like_a_death_is_none() -> None:
    assert explain("corrupted images were skipped: 3") is None
    assert len(str(explain(f"terminate called {'x' * 9000}"))) < 500


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (-signal.SIGKILL, "dmesg"),
        (256 - signal.SIGKILL, "dmesg"),
        (128 + signal.SIGKILL, "dmesg"),
        (-signal.SIGBUS, "/dev/shm"),
        (-signal.SIGILL, "processor"),
        (-signal.SIGTERM, ""),
        (1, ""),
        (0, ""),
    ],
)
def test_a_status_says_what_a_signal_means(status: int, said: str) -> None:
    explained = explain_status(status)

    assert said in explained
    assert bool(explained) is bool(said)

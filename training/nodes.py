"""This machine among those that share a training."""

import socket
import time
from pathlib import Path

from configs.jobs import TrainJob
from configs.settings import Settings
from configs.training import ResourceParams
from ocr.errors import BadInput, OcrError
from training.job import RESULT
from training.meeting import POLL_S, Address, is_of_this_machine, is_open

PREPARING_S = 3600.0
"""How long the first machine may fetch its data and measure before it opens the meeting point."""


def find_node(resources: ResourceParams) -> int:
    """Return which of the machines this is, from 0.

    Raises:
        BadInput: It is none of them, or the ranks are to meet where this first one cannot listen.
    """
    node, nodes = Settings().node_rank, resources.nodes
    if node >= nodes:
        raise BadInput(
            f"OCRLINE_NODE_RANK: {node} is not allowed with resources.nodes: {nodes}; expected 0 "
            f"to {nodes - 1}"
        )
    if nodes > 1 and node == 0:
        host, port = name_address(resources)
        if not is_of_this_machine(host):
            raise BadInput(
                f"resources.rendezvous: {host} is no address of this machine, the first of {nodes}"
                "; the others are told apart by OCRLINE_NODE_RANK"
            )
        try:
            socket.create_server((host, port)).close()
        except OSError as error:
            raise BadInput(
                f"resources.rendezvous: {host}:{port} cannot be opened ({error.strerror}); choose "
                "another port, one for each training"
            ) from None
    return node


def name_address(resources: ResourceParams) -> Address:
    """Return where the ranks of several machines meet."""
    host, _, port = resources.rendezvous.rpartition(":")
    return host, int(port)


def wait_for_the_first(job: TrainJob, folder: Path) -> bool:
    """Wait until the first machine has begun to learn; False where nothing is left to learn.

    Raises:
        OcrError: It did not come.
    """
    timeout_s = max(job.training.no_progress_timeout_s, PREPARING_S)
    end = time.monotonic() + timeout_s
    while not (folder / RESULT).is_file():
        if is_open(name_address(job.resources)):
            return True
        if time.monotonic() > end:
            raise OcrError(
                f"Nobody opened {job.resources.rendezvous} (resources.rendezvous) for "
                f"{timeout_s:g} s: start the first machine, then run again"
            )
        time.sleep(POLL_S)
    return False

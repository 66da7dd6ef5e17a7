"""Processes that are killed or hang."""

import os
import signal

import psutil

from bench.serve.faults.target import Target, wait_until
from bench.serve.process_tree import cpu_s, process_tree, workers


def kill_worker(target: Target) -> str:
    """End the worker that reads most."""
    return _replace_worker(target, signal.SIGKILL)


def hang_worker(target: Target) -> str:
    """Have the worker that reads most take no step more."""
    return _replace_worker(target, signal.SIGSTOP)


def kill_gateway(target: Target) -> str:
    """End the gateway, and start it again."""
    gateway = target.gateway
    old = process_tree(gateway.process)
    os.kill(old[0].pid, signal.SIGKILL)
    gateway.start()
    left = [one for one in old if _runs(one)]
    return f"ready again, {len(left)} processes left behind"


def _replace_worker(target: Target, sign: signal.Signals) -> str:
    process = target.gateway.process
    before = workers(process)
    losses = target.metric("ocrline_worker_losses_total")
    worker = max(before, key=lambda one: cpu_s([one]))
    os.kill(worker.pid, sign)
    wait_until(
        lambda: target.metric("ocrline_worker_losses_total") > losses, what="the loss is noticed"
    )
    wait_until(lambda: target.metric("ocrline_workers") == len(before), what="another worker is up")
    return "goes on" if _runs(worker) else "replaced"


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False

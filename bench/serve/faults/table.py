"""Every fault, and what should happen."""

from functools import partial
from typing import Final

from bench.serve.faults import clients, processes, versions
from bench.serve.faults.trial import Fault

FAULTS: Final = (
    Fault("killed worker (kill -9)", processes.kill_worker, "replaced"),
    Fault("hung worker (SIGSTOP)", processes.hang_worker, "replaced"),
    Fault(
        "killed gateway (kill -9), started again",
        processes.kill_gateway,
        "ready again, 0 processes left behind",
        may_lose=True,
        may_delay=True,  # while its models are loaded
    ),
    Fault("vanished store", versions.lose_store, "told at /metrics, the champion goes on"),
    Fault(
        "damaged champion",
        versions.promote_damaged,
        "refused as damaged, the champion goes on",
    ),
    Fault("promotion and rollback", versions.promote_and_roll_back, "each served in its time"),
    Fault("full queue", clients.fill_queue, "200 | 503 busy, retry", may_delay=True),
    Fault("headers that never end", clients.drip_headers, "408 headers_timeout"),
    Fault("half a body", clients.send_half, "408 body_timeout"),
    Fault("body of 20 MB", partial(clients.send_megabytes, 20), "413 body_too_large"),
    Fault("body of 300 MB", partial(clients.send_megabytes, 300), "413 body_too_large"),
    Fault("pickle for Paddle Serving", clients.send_pickle, "422 err_no 9"),
    Fault("bad key", clients.show_bad_key, "401 unauthorized"),
    Fault("deadline of a millisecond", clients.be_in_a_hurry, "504 expired"),
)

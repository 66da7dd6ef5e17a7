"""Where the ranks of a training meet: a store of Paddle that answers at one address alone.

Ranks of either engine run this, in either interpreter; so it imports nothing of ours.
"""

import contextlib
import ctypes
import fcntl
import os
import random
import socket
import stat
import struct
import time
from collections.abc import Iterator
from typing import Any

HERE = "127.0.0.1"
FREE_PORTS = range(20_000, 30_000)
"""Below those that Linux gives to connections: the first rank needs seconds to open its port."""
PATIENCE_S = 300
"""How long ranks wait for each other to come; usually it is a few seconds."""
POLL_S = 0.2
CAME = "came"
WHAT = "what"
DIGITS = 15
"""Of the digest of a job; the store keeps numbers of 63 bits."""
SO_ATTACH_FILTER = 26
SIOCGIFADDR = 0x8915
Address = tuple[str, int]


def name_rank(
    address: Address, *, rank: int, count: int, local: int, device: str
) -> dict[str, str]:
    """Return the variables by which Paddle knows one rank.

    Args:
        address: Where the ranks meet.
        rank: Of all ranks, from 0.
        count: Of all ranks.
        local: Of those of this machine, from 0.
        device: `cpu` or `gpu`; the n-th rank of a machine has the n-th visible GPU.
    """
    host, port = address
    network = "NCCL" if device == "gpu" else "GLOO"
    named = {
        "MASTER_ADDR": host,
        "MASTER_PORT": str(port),
        "PADDLE_MASTER": f"{host}:{port}",
        "PADDLE_DISTRI_BACKEND": network.lower(),
        "PADDLE_TRAINERS_NUM": str(count),
        "PADDLE_TRAINER_ID": str(rank),
        # Names only, but for the first: nobody listens there.
        "PADDLE_TRAINER_ENDPOINTS": ",".join(f"{host}:{port + n}" for n in range(count)),
        "PADDLE_CURRENT_ENDPOINT": f"{host}:{port + rank}",
        "FLAGS_selected_gpus": str(local),
    }
    if f"{network}_SOCKET_IFNAME" not in os.environ:  # a user may know better
        named[f"{network}_SOCKET_IFNAME"] = _find_interface(host)
    if device == "cpu":  # a Paddle for CUDA would take a GPU
        named["CUDA_VISIBLE_DEVICES"] = "-1"
    return named


def find_port() -> int:
    """Return a port of this machine that nobody uses, and at which no connection begins."""
    for port in random.SystemRandom().sample(FREE_PORTS, 100):
        with contextlib.suppress(OSError), socket.socket() as one:
            one.bind(("", port))  # at every address, as Paddle's store does
            return port
    raise ConnectionError(f"No port of {HERE} is free")


def is_open(address: Address) -> bool:
    """Say whether somebody answers there."""
    # A name may be known later than its machine is asked for.
    with contextlib.suppress(socket.gaierror), socket.socket() as one:
        one.settimeout(POLL_S * 5)
        return one.connect_ex(address) == 0
    return False


def is_of_this_machine(host: str) -> bool:
    """Say whether an address is one of this machine."""
    with socket.socket() as one:
        try:
            one.bind((host, 0))
        except OSError:
            return False
    return True


def join(rank: int, *, digest: str) -> Any:
    """Meet the other ranks of the environment; return the store, whose `add` they all see.

    Paddle opens its store to every network. Soon after, the kernel drops what comes to another
    address than that of the meeting point. Who came there before is sent away while ranks meet.

    Args:
        rank: Of all ranks, from 0.
        digest: Of what they are to learn, hexadecimal; a rank of another job does not count.

    Raises:
        ConnectionError: Not all came, or those that meet here learn something else.
    """
    from paddle.base import core

    host, port = os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"])
    end = time.monotonic() + PATIENCE_S
    while rank and not is_open((host, port)):
        if time.monotonic() > end:
            raise ConnectionError(f"Rank 0 did not open {host}:{port} within {PATIENCE_S} s")
        time.sleep(POLL_S)
    here = socket.gethostbyname(host)
    # Of no workers: it would wait for them, open to all.
    store = core.TCPStore(host, port, rank == 0, 0)
    for one in _sockets():
        if _is_listening(one):
            if one.getsockname()[1] == port:
                _answer_only_at(here, one)
        else:  # each word would wait for the answer to the one before
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    _agree(store, digest, rank=rank, until=end)
    count = int(os.environ["PADDLE_TRAINERS_NUM"])
    store.add(CAME, 1)
    while True:  # gloo would wait for ever
        came = store.add(CAME, 0)
        if rank == 0:  # Paddle may take up late who came early
            _send_away(port, unless_at=here)
        if came >= count:
            break
        if time.monotonic() > end:
            raise ConnectionError(
                f"{came} of {count} ranks came to {host}:{port} in {PATIENCE_S} s"
            )
        time.sleep(POLL_S)
    os.environ["PADDLE_TRAINER_ID"] = "1"  # Paddle's own is a guest of this store, on any rank
    core.create_or_get_global_tcp_store()
    os.environ["PADDLE_TRAINER_ID"] = str(rank)
    return store


def _agree(store: Any, digest: str, *, rank: int, until: float) -> None:
    """Compare what this rank is to learn with what the first one does."""
    own = int(digest[:DIGITS], 16) + 1
    if rank == 0:
        store.add(WHAT, own)
    while not (theirs := store.add(WHAT, 0)) and time.monotonic() < until:
        time.sleep(POLL_S)
    if theirs != own:
        raise ConnectionError(
            "Ranks of another training meet here, or of another version of this one: give each its "
            "own port in resources.rendezvous, and all machines the same installation"
        )


def _sockets() -> Iterator[socket.socket]:
    """Yield the TCP sockets of this process."""
    for number in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208
        with contextlib.suppress(OSError):  # of what is closed by now
            if stat.S_ISSOCK(os.fstat(number).st_mode):
                with socket.socket(fileno=os.dup(number)) as one:
                    if one.family == socket.AF_INET and one.type == socket.SOCK_STREAM:
                        yield one


def _is_listening(one: socket.socket) -> bool:
    return bool(one.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))


def _answer_only_at(here: str, one: socket.socket) -> None:
    """Have the kernel drop what is sent to a socket at another address of this machine."""
    (address,) = struct.unpack("!I", socket.inet_aton(here))
    destination = 0xFFF00000 + 16  # of the IP header
    program = b"".join(
        struct.pack("HBBI", *instruction)
        for instruction in (
            (0x20, 0, 0, destination),  # load
            (0x15, 0, 1, address),  # equal?
            (0x06, 0, 0, 0xFFFFFFFF),  # keep
            (0x06, 0, 0, 0),  # drop
        )
    )
    kept = ctypes.create_string_buffer(program)
    one.setsockopt(
        socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HL", 4, ctypes.addressof(kept))
    )


def _send_away(port: int, *, unless_at: str) -> None:
    """Shut down the connections to a port of this process at any other address of this machine."""
    for one in _sockets():
        address, own_port = one.getsockname()
        if own_port == port and address != unless_at and not _is_listening(one):
            with contextlib.suppress(OSError):  # it is closed already
                one.shutdown(socket.SHUT_RDWR)


def _find_interface(host: str) -> str:
    """Return the network interface by which a host is reached."""
    with socket.socket(type=socket.SOCK_DGRAM) as one:
        one.connect((host, 9))  # sends nothing
        own = socket.inet_aton(one.getsockname()[0])
        for _, name in socket.if_nameindex():
            with contextlib.suppress(OSError):  # it has no address
                found = fcntl.ioctl(one, SIOCGIFADDR, struct.pack("256s", name.encode()))
                if found[20:24] == own:
                    return name
    return "lo"

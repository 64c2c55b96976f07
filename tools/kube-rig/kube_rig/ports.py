"""Free ports on loopback.

They are below the kernel's range for outgoing connections: a component that is stopped and started
again needs its old port, and no client connection can have taken it in the meantime.
"""

import contextlib
import random
import socket
from pathlib import Path

LOWEST = 20000
TRIES = 1000


def _first_outgoing_port() -> int:
    try:
        return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except (OSError, ValueError):
        return 32768


def pick(count: int, reserved: set[int] = frozenset()) -> list[int]:
    """`count` different ports that can be bound now and are not `reserved`."""
    with contextlib.ExitStack() as held:  # keep all until the last one is found, so that no port comes twice
        ports = []
        upper = _first_outgoing_port()
        for _ in range(TRIES):
            if len(ports) == count:
                break
            candidate = random.randrange(LOWEST, upper) if upper > LOWEST + TRIES else 0
            port = _bind(candidate, held)
            if port and port not in reserved:
                ports.append(port)
        while len(ports) < count:  # that range is full or absent: the kernel chooses
            port = _bind(0, held)
            if port and port not in reserved:
                ports.append(port)
        return ports


def _bind(port: int, held: contextlib.ExitStack) -> int | None:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.bind(("127.0.0.1", port))
    except OSError:
        sock.close()
        return None
    held.enter_context(sock)
    return sock.getsockname()[1]

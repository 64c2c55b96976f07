"""Starting processes, and ending exactly those that this rig started.

A pid alone is not an identity, because the kernel reuses it. So the start time of the process and the boot
id are stored with every pid, and a signal is sent through a pidfd, which refers to the checked process even
if its pid is reused.
"""

import contextlib
import json
import os
import select
import signal
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path

GRACE_SECONDS = 5.0  # between SIGTERM and SIGKILL


@dataclass(frozen=True)
class Identity:
    pid: int
    start_ticks: int  # field 22 of /proc/PID/stat: clock ticks from boot to the start of the process
    boot_id: str


def boot_id() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _stat(pid: int) -> tuple[str, int] | None:
    """State letter and start time of a process, or None if it does not exist."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = text.rpartition(")")[2].split()  # the name before it may contain blanks and brackets
    return fields[0], int(fields[19])


def identify(pid: int) -> Identity | None:
    found = _stat(pid)
    return Identity(pid, found[1], boot_id()) if found and found[0] not in "ZX" else None


def state_of(who: Identity) -> str:
    """"running", "paused" or "gone"; a zombie is gone."""
    found = _stat(who.pid)
    if not found or found[0] in "ZX" or found[1] != who.start_ticks or boot_id() != who.boot_id:
        return "gone"
    return "paused" if found[0] == "T" else "running"


@contextlib.contextmanager
def _opened(who: Identity):
    """A pidfd of exactly that process, or None if it is gone."""
    try:
        fd = os.pidfd_open(who.pid)
    except OSError:
        yield None
        return
    try:
        # Checked after opening: from now on the descriptor cannot refer to another process.
        yield fd if state_of(who) != "gone" else None
    finally:
        os.close(fd)


def send(who: Identity, number: int) -> bool:
    """Sends a signal to exactly that process; False if it is gone."""
    with _opened(who) as fd:
        if fd is None:
            return False
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(fd, number)
        return True


def wait_gone(who: Identity, timeout: float) -> bool:
    with _opened(who) as fd:
        if fd is None:
            return True
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        return bool(poll.poll(max(0, timeout) * 1000))


def end_all(processes: list[Identity], grace: float = GRACE_SECONDS, *, first: int = signal.SIGTERM) -> None:
    """Asks all of them to end, and kills those that are still running after the grace period."""
    for who in processes:
        send(who, first)
        send(who, signal.SIGCONT)  # a paused process would not handle the signal
    deadline = time.monotonic() + grace
    for who in processes:
        if not wait_gone(who, deadline - time.monotonic()):
            send(who, signal.SIGKILL)
    for who in processes:
        wait_gone(who, GRACE_SECONDS)


def end_group(child: subprocess.Popen) -> None:
    """Ends a child that leads its own process group, together with the whole group."""
    if child.poll() is not None:
        return
    for number in (signal.SIGTERM, signal.SIGKILL):
        # Safe by pid: the child is not yet reaped, so its pid cannot belong to another process.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=GRACE_SECONDS)
            return


def spawn(argv: list[str], log: Path, cwd: Path) -> subprocess.Popen:
    """Starts a process in its own session, so that neither our end nor a Ctrl-C affects it."""
    # etcd and KWOK also read options from the environment; a rig must be the same everywhere.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("ETCD_", "KWOK_"))}
    with open(log, "ab") as out:
        return subprocess.Popen(
            argv, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def write_identity(path: Path, who: Identity) -> None:
    scratch = path.with_suffix(".new")
    scratch.write_text(json.dumps(asdict(who)))
    os.replace(scratch, path)


def read_identity(path: Path) -> Identity | None:
    try:
        return Identity(**json.loads(path.read_text()))
    except FileNotFoundError:
        return None

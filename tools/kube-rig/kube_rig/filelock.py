"""A lock between processes that the kernel releases when its holder dies."""

import contextlib
import fcntl
import os
import time
from pathlib import Path

from .errors import RigError


@contextlib.contextmanager
def file_lock(path: Path, timeout: float, *, what: str):
    """Holds an exclusive lock on `path`, whose folder exists; `what` names the likely holder in the error.

    The holder may delete the file: a waiting process then notices and locks the new file.
    """
    deadline = time.monotonic() + timeout
    while True:
        with open(path, "a") as file:
            _lock(file, deadline, f"{what} still holds {path} after {timeout:.0f} s")
            if _is_same_file(file, path):
                yield
                return


def _lock(file, deadline: float, complaint: str) -> None:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise RigError(complaint) from None
            time.sleep(0.05)


def _is_same_file(file, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False

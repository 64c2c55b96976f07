"""Waiting for a condition."""

import time

PATIENCE = 180.0
BETWEEN = 0.1


def written(path):
    """The text of a file that a process still writes. Its last character can be incomplete and is left out then."""
    return path.read_bytes().decode(errors='ignore')


def eventually(condition, what, logs=()):
    """The first true value of condition(). After the timeout it raises an error that names `what` and shows the ends of
    the files in `logs`."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(BETWEEN)
    tails = ''.join(f'\n--- {log.name}\n{written(log)[-3000:]}' for log in logs if log.exists())
    raise AssertionError(f'timeout, expected: {what() if callable(what) else what}{tails}')

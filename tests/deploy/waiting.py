"""Waiting for what becomes true by itself."""

import time

PATIENCE = 90.0
BETWEEN = 0.1


def eventually(condition, what, logs=()):
    """The first true value of condition(). If there is none in time, an error that says what was waited for, and how the files
    in `logs` end."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(BETWEEN)
    tails = ''.join(f'\n--- {log.name}\n{log.read_text()[-3000:]}' for log in logs if log.exists())
    raise AssertionError(f'in vain: {what() if callable(what) else what}{tails}')

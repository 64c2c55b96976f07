"""Stops a rig when the process that it was made for is gone, so that a crashed test leaves nothing behind."""

import sys
import time
from typing import Callable

from . import state
from .errors import RigError
from .pins import ROOT
from .process import Identity, identify, spawn, wait_gone
from .state import WATCHDOG, Rig

LOOK_SECONDS = 1.0


def start(rig: Rig, guarded: Identity) -> None:
    command = [
        sys.executable, str(ROOT / "rig"), "_watch", rig.name,
        str(guarded.pid), str(guarded.start_ticks), guarded.boot_id,
    ]
    child = spawn(command, rig.log(WATCHDOG), state.state_root())
    who = identify(child.pid)
    if who is None:
        raise RigError("the watchdog ended at once", details=rig.log(WATCHDOG).read_text().splitlines()[-20:])
    rig.remember(WATCHDOG, who)


def watch(name: str, guarded: Identity, take_down: Callable[[str], None]) -> None:
    """Returns when the guarded process and then the rig are gone, or when the rig goes first."""
    while not wait_gone(guarded, LOOK_SECONDS):
        if not state.exists(name):
            return
    while state.exists(name):
        try:
            take_down(name)
        except RigError:  # another command still holds the lock
            time.sleep(LOOK_SECONDS)

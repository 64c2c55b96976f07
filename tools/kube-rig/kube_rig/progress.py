"""Shows the progress of a long job: in place on a terminal, otherwise a line every 15 seconds."""

import sys
import time
from typing import Callable, TextIO

LINE_EVERY_SECONDS = 15.0
REDRAW_EVERY_SECONDS = 0.2


def clock_text(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}m{rest:02d}s" if minutes else f"{rest}s"


class Progress:
    def __init__(self, total: int, out: TextIO = sys.stderr, now: Callable[[], float] = time.monotonic):
        self._total = total
        self._out = out
        self._now = now
        self._in_place = out.isatty()
        self._begin = now()
        self._shown_at = self._begin
        self._step = 0
        self._label = ""

    def start(self, label: str) -> None:
        self._step += 1
        self._label = label
        self._show("started")

    def tick(self, what: str) -> None:
        """Call it at any rate; it prints only when an update is due."""
        every = REDRAW_EVERY_SECONDS if self._in_place else LINE_EVERY_SECONDS
        if self._now() - self._shown_at >= every:
            self._show(what)

    def done(self, what: str) -> None:
        self._show(what)
        if self._in_place:
            self._out.write("\n")
            self._out.flush()

    def interrupt(self) -> None:
        """Ends the current line, so that an error starts on its own line."""
        if self._in_place and self._step:
            self._out.write("\n")
            self._out.flush()

    def _show(self, what: str) -> None:
        self._shown_at = self._now()
        elapsed = clock_text(self._shown_at - self._begin)
        line = f"[{self._step}/{self._total}] {self._label}: {what} ({elapsed})"
        self._out.write(f"\r\x1b[K{line}" if self._in_place else f"{line}\n")
        self._out.flush()

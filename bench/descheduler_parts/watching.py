"""Watches pods end and replacements start. It does not rely on the counters of the contenders."""

import json
import threading
import time

from . import start


class Pods:
    def __init__(self, plane):
        self._plane = plane
        self.ended = 0
        self._waiting = set()
        self._problem = None
        self._last = time.monotonic()
        self._over = False

    def __enter__(self):
        listed = json.loads(self._plane.request("GET", start.PODS + "?limit=1"))
        self._connection = self._plane.connect(timeout=3600)
        self._connection.request("GET", f"{start.PODS}?watch=1&resourceVersion={listed['metadata']['resourceVersion']}")
        self._answer = self._connection.getresponse()
        self._begun = self._last = time.monotonic()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over = True
        self._connection.sock.close() if self._connection.sock else None

    def _follow(self):
        try:
            while line := self._answer.readline():
                self._take(json.loads(line))
            raise OSError("the watch ended")
        except (OSError, ValueError, AttributeError) as error:
            if not self._over:
                self._problem = error

    def _take(self, event):
        pod = event["object"]
        uid, name = pod["metadata"]["uid"], pod["spec"].get("nodeName")
        if event["type"] == "DELETED":
            self.ended += 1
            self._waiting.discard(uid)
        elif event["type"] == "ADDED":
            self._waiting.add(uid)
        elif uid in self._waiting and name:
            self._waiting.discard(uid)
        else:
            return  # a condition or an annotation: not a move
        self._last = time.monotonic()

    def wait_quiet(self, quiet, limit, check):
        """Seconds until the last change, and whether a quiet period followed."""
        while True:
            check()
            if self._problem:
                raise self._problem
            now = time.monotonic()
            # The start takes longer than the next moves: a plan is made, and the first replacements must become ready.
            if now - self._last >= (quiet if self._last > self._begun else 4 * quiet):
                return self._last - self._begun, True
            if now - self._begun >= limit:
                return now - self._begun, False
            time.sleep(0.5)

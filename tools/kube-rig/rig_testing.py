"""Shared by the tests of `rig`: calling it, waiting for a condition, and fakes of Go and etcd."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
RIG = HERE / "rig"

# Answers /health on the port of --listen-client-urls, as etcd does. Fails as often as the file `busy` in its folder
# says, with etcd's message for a port in use.
FAKE_ETCD = f"""#!{sys.executable}
import http.server, pathlib, sys
busy = pathlib.Path(__file__).with_name("busy")
left = int(busy.read_text()) if busy.exists() else 0
if left:
    busy.write_text(str(left - 1))
    for number in range(30):
        print("line", number)
    sys.exit("bind: address already in use")
class Healthy(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
port = next(a for a in sys.argv if a.startswith("--listen-client-urls=")).rsplit(":", 1)[1]
http.server.HTTPServer(("127.0.0.1", int(port)), Healthy).serve_forever()
"""

# Records each build in the file `built` in its folder and behaves as $FAKE_GO says.
FAKE_GO = f"""#!{sys.executable}
import os, pathlib, sys, time
if sys.argv[1] == "env":
    print(os.environ.get("FAKE_GO_VERSION", "go99.0.0"))
    sys.exit()
out = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
with open(pathlib.Path(__file__).with_name("built"), "a") as built:
    built.write(out.name + "\\n")
mode = os.environ.get("FAKE_GO")
if mode == "fail":
    sys.exit("main.go:1: it does not compile")
out.write_text("half a binary")
if mode == "hang":
    time.sleep(600)
out.chmod(0o755)
"""


def script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def until(condition, what: str, seconds: float = 30):
    """Returns the first true value of `condition`."""
    deadline = time.monotonic() + seconds
    while True:
        answer = condition()
        if answer:
            return answer
        if time.monotonic() >= deadline:
            raise AssertionError(f"timeout after {seconds} s, expected: {what}")
        time.sleep(0.05)


class RigTestCase(unittest.TestCase):
    """Each test has its own folders for state, cache and scratch, and removes its rigs."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="rig-test-")))
        self.state = self.folder / "state"
        self.env = {"KUBE_RIG_STATE": str(self.state)}
        self.addCleanup(self.rig, "down", "--all")

    @property
    def root(self) -> Path:
        return self.state / f"kube-rig-{os.getuid()}"

    def environment(self) -> dict[str, str]:
        return os.environ | self.env

    def rig(self, *arguments, code: int | None = None, timeout: float = 180) -> subprocess.CompletedProcess:
        ran = subprocess.run(
            [sys.executable, str(RIG), *map(str, arguments)], env=self.environment(),
            capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL,
        )
        if code is not None:
            self.assertEqual(ran.returncode, code, f"rig {arguments}: {ran.stdout}{ran.stderr}")
        return ran

    def start_rig(self, *arguments) -> subprocess.Popen:
        child = subprocess.Popen(
            [sys.executable, str(RIG), *arguments], env=self.environment(),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        self.addCleanup(child.communicate)
        self.addCleanup(child.kill)
        return child

    def sleeper(self) -> subprocess.Popen:
        """A process that runs until it is killed."""
        child = subprocess.Popen(["sleep", "600"])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def processes_of_rigs(self) -> list[str]:
        """The command lines of all processes that mention this test's folder or one of its rigs."""
        found = []
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and int(entry.name) != os.getpid():
                    line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    cwd = os.readlink(entry / "cwd")
                    if str(self.folder) in line or cwd.startswith(str(self.folder)):
                        found.append(line)
        return found

    def assert_nothing_left(self):
        until(lambda: not self.processes_of_rigs(), f"all processes gone: {self.processes_of_rigs()}", 10)
        left = [entry.name for entry in self.root.iterdir() if entry.name != ".ports.lock"]
        self.assertEqual(left, [])

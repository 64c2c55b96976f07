"""kube-scheduler as a child process with our extender, and everything that it reports about its decisions.

Its log has the objects that it has seen, the scores and the result. Only extenders learn which nodes passed all filters and
which pods could be preempted. Our extender changes nothing, except for pods whose name ends in PROBE: it rejects every node
for them, so that their message has the reasons of all other nodes.
"""

import http.server
import json
import re
import subprocess
import threading
import time

from compare import PROFILES

PROBE = "-probe"
PROBE_REASON = "the probe stays here"
# Log levels by source file; level 10 for all files would log megabytes per pod.
VERBOSITY = ("schedule_one=10,eventhandlers=4,preemption=5,executor=5,binder=4,default_binder=4,"
             "scheduling_queue=4")
# Appended to the profiles. These settings do not change decisions. One worker finds nodes in order; several find them
# in any order.
CONFIGURATION = """\
leaderElection: {{leaderElect: false}}
clientConnection: {{kubeconfig: {kubeconfig}, qps: 100000, burst: 100000}}
podInitialBackoffSeconds: 1
podMaxBackoffSeconds: 1
percentageOfNodesToScore: 100
parallelism: 1
extenders:
- urlPrefix: http://127.0.0.1:{port}
  filterVerb: filter
  preemptVerb: preempt
  nodeCacheCapable: true
"""
LINE = re.compile(r'^[IWEF]\d{4} \S+ +\d+ [^\]]+\] "((?:[^"\\]|\\.)*)"(.*)$')
VALUE = re.compile(r'([\w.]+)=("(?:[^"\\]|\\.)*"|\S+)')


def parse(line):
    """The message and the values of a log line. None for lines of another form."""
    match = LINE.match(line)
    if not match:
        return None
    values = {}
    for key, text in VALUE.findall(match.group(2)):
        if text.startswith('"'):
            try:
                text = json.loads(text)
            except ValueError:
                text = text[1:-1]
        values.setdefault(key, text)
    return match.group(1), values


class Extender(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Answers)
        self.lock = threading.Lock()
        self.forget()

    def forget(self):
        self.feasible, self.candidates = {}, {}  # by pod

    def filter(self, asked):
        metadata = asked["Pod"]["metadata"]
        names = asked.get("NodeNames") or []
        with self.lock:
            self.feasible.setdefault(f"{metadata['namespace']}/{metadata['name']}", []).append(names)
        if metadata["name"].endswith(PROBE):
            return {"NodeNames": [], "FailedAndUnresolvableNodes": {name: PROBE_REASON for name in names}}
        return {"NodeNames": names}

    def preempt(self, asked):
        metadata = asked["Pod"]["metadata"]
        victims = asked.get("NodeNameToMetaVictims") or {}
        with self.lock:
            self.candidates.setdefault(f"{metadata['namespace']}/{metadata['name']}", victims)
        return {"NodeNameToMetaVictims": {} if metadata["name"].endswith(PROBE) else victims}


class _Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self.server.preempt(asked) if self.path.endswith("/preempt") else self.server.filter(asked)
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Log:
    """The log lines so far, and waiting for more."""

    def __init__(self, stream, keep):
        self._stream, self._keep = stream, keep
        self._changed = threading.Condition()
        self._lines = []
        self._last = ""
        self.ended = False
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._stream:
            self._keep.write(line)
            self._last = line.strip()
            entry = parse(line.rstrip("\n"))
            if entry:
                with self._changed:
                    self._lines.append(entry)
                    self._changed.notify_all()
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def forget(self):
        with self._changed:
            self._lines = []

    def lines(self):
        with self._changed:
            return list(self._lines)

    def wait(self, found, what, timeout=20.0):
        """Waits until `found(lines)` is true, and returns its result."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                result = found(self._lines)
                if result:
                    return result
                left = deadline - time.monotonic()
                if left <= 0 or self.ended:
                    ended = f"ended ({self._last})" if self.ended else "did not say it in time"
                    raise TimeoutError(f"kube-scheduler {ended}: {what}")
                self._changed.wait(left)


class KubeScheduler:
    def __init__(self, binary, folder):
        self.extender = Extender()
        threading.Thread(target=self.extender.serve_forever, daemon=True).start()
        config = folder / "kube-scheduler.yaml"
        config.write_text(PROFILES.read_text() + CONFIGURATION.format(
            kubeconfig=folder / "kubeconfig", port=self.extender.server_address[1]))
        self.version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        self._keep = open(folder / "kube-scheduler.log", "w")
        self._process = subprocess.Popen(
            [binary, f"--config={config}", "-v=2", f"--vmodule={VERBOSITY}", "--secure-port=0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, bufsize=1)
        self.log = Log(self._process.stderr, self._keep)

    def forget(self):
        self.log.forget()
        self.extender.forget()

    def stop(self):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self.extender.shutdown()
        self.extender.server_close()
        self._keep.close()

"""Runs the steps one after another and keeps the result of each, as values by path."""

import os
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile
import time

import compare
import document
import expect
import normalise
import steps

PATIENCE = float(os.environ.get("PERSON_PATIENCE", "60"))  # seconds; timeout of a step that waits

# Background jobs of a shell ignore SIGINT, and kubectl would inherit that; the session ends kubectl with SIGINT.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Objects whose pods, sets, slices or revisions have generated names.
OWNERS = ["web", "applied", "agent", "once", "db"]


class Session:
    def __init__(self, kubectl, kubeconfig, on, manifests):
        self._kubectl = kubectl
        self._on = on
        self._manifests = pathlib.Path(manifests)
        self._home = tempfile.TemporaryDirectory()  # do not reuse the discovery cache of another cluster
        self._environment = {"PATH": os.environ["PATH"], "HOME": self._home.name, "KUBECONFIG": str(kubeconfig)}
        self._old = "v1.20" in self._call(["version", "--client"]).stdout
        self._places = (on, "old" if self._old else "current")
        nodes = self._call(["get", "nodes", "-o", "name"])
        if nodes.returncode != 0:
            raise RuntimeError("the cluster does not answer: " + nodes.stdout + nodes.stderr)
        self._nodes = sorted(nodes.stdout.replace("node/", "").split())
        self._normaliser = normalise.Normaliser(self._nodes, OWNERS)
        self._results = {}
        self._failures = []

    def run(self):
        """{step: {path: value}}, and the failures."""
        with self._home:
            for step in steps.steps():
                self._step(step)
        for rule in self._normaliser.unused(self._places):
            self._fail("replaces nothing: " + rule)
        return self._results, self._failures

    def _fail(self, message):
        self._failures.append(message)
        print(message, flush=True)

    def _step(self, step):
        if step.only not in ("", self._on) or step.kubectl not in ("", *self._places):
            return
        began = time.monotonic()
        self._background(step) if isinstance(step, steps.Background) else self._command(step)
        if os.environ.get("PERSON_TIMES"):
            print(f"{time.monotonic() - began:6.2f} s  {step.name}", flush=True)

    def _call(self, arguments, stdin="", editor=""):
        environment = self._environment | ({"KUBE_EDITOR": editor} if editor else {})
        return subprocess.run([self._kubectl, *arguments], input=stdin, capture_output=True, text=True, env=environment,
                              timeout=120)

    def _filled(self, text):
        for place, name in enumerate(self._nodes, 1):
            text = text.replace("{node%d}" % place, name)
        return text

    def _arguments(self, step):
        arguments = shlex.split(self._filled(step.args))
        # Adds the namespace, unless the step has one.
        return arguments if "-n" in arguments else ["-n", "person", *arguments]

    def _command(self, step):
        stdin = self._filled((self._manifests / step.manifest).read_text()) if step.manifest else ""
        arguments = self._arguments(step)
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._call(arguments, stdin, step.editor)
            values = self._values(step, answer)
            missing = {path: expected for path, expected in step.until.items()
                       if not expect.met(expected, values.get(path, expect.ABSENT))}
            if not missing or time.monotonic() > deadline:
                break
            time.sleep(0.1)
        if missing:
            self._fail(f"{step.name}: never saw {missing} in {values}")
        expected = step.old_code if self._old and step.old_code is not None else step.code
        # On the embedded cluster the recording has the exit code, unless the step is not recorded.
        if answer.returncode != expected and (self._on == "real" or step.unrecorded):
            self._fail(f"{step.name}: exit code {answer.returncode}, not {expected}:\n{answer.stdout}{answer.stderr}")
        if not step.unrecorded:
            self._keep(step, values)

    def _values(self, step, answer):
        stdout = answer.stdout
        if step.last:
            stdout = "\n".join(stdout.splitlines()[-1:])
        if step.lines:
            stdout = "\n".join(line for line in stdout.splitlines() if re.search(step.lines, line))
        value = document.read(step.form(), stdout, answer.stderr, answer.returncode)
        if step.rows:
            value["rows"] = [row for row in value.get("rows", []) if row["NAME"] in step.rows]
        if step.unordered:
            value["out"] = sorted(self._normaliser.names(line) for line in value.get("out", []))
        if not step.owners:
            _forget_owners(value)
        values = document.flat(value, self._normaliser, step.row_keys)
        return {path: inner for path, inner in values.items() if not path.startswith(step.without)}

    def _keep(self, step, values):
        if step.name in self._results:
            raise RuntimeError(f"two steps are called {step.name}")
        self._results[step.name] = {compare.COMMAND: step.args} | values

    def _background(self, step):
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen([self._kubectl, *self._arguments(step)], stdout=output, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, env=self._environment)
            try:
                self._await(step, step.first, output)
                for inner in step.during:
                    self._step(inner)
                self._await(step, step.until, output)
                if step.ends:
                    process.wait(PATIENCE)
            finally:
                if process.poll() is None:
                    process.send_signal(signal.SIGINT)
                    process.wait()
            values = _lines(_contents(output), self._normaliser) if step.ends else self._seen(step, output)
            self._keep(step, values | ({"code": process.returncode} if step.ends else {}))

    def _await(self, step, expected, output):
        """Waits until each expression has matched the expected number of different objects or lines."""
        deadline = time.monotonic() + PATIENCE
        while True:
            text = _contents(output)
            counts = {pattern: len({line.split()[0] if step.objects else line for line in text.splitlines()
                                    if re.search(pattern, line)}) for pattern in expected}
            if all(counts[pattern] >= count for pattern, count in expected.items()):
                return
            if time.monotonic() > deadline:
                return self._fail(f"{step.name}: waited for {expected}, saw {counts} in:\n{text}")
            time.sleep(0.05)

    def _seen(self, step, output):
        """The patterns that matched each object. The number and order of its lines depend on timing."""
        objects = {}
        for line in _contents(output).splitlines():
            seen = objects.setdefault(line.split()[0], set())
            seen.update(pattern for pattern in step.until if re.search(pattern, line))
        rows = [{"NAME": name, "SEEN": ", ".join(sorted(seen))} for name, seen in objects.items()]
        return document.flat({"rows": rows}, self._normaliser)


def _lines(text, normaliser):
    """The number of different lines of each kind."""
    lines = [normaliser.names(line) for line in sorted(set(document.lines(text)))]
    return {line: lines.count(line) for line in sorted(lines)}


def _forget_owners(value):
    """The old kubectl cannot omit metadata.managedFields; the current one shows them where they are compared."""
    for thing in [value, *value.get("items", [])]:
        if isinstance(thing, dict) and isinstance(thing.get("metadata"), dict):
            thing["metadata"].pop("managedFields", None)


def _contents(file):
    # The child shares the file offset, so read with pread.
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode(errors="replace")

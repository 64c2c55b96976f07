"""Runs the steps one after the other and writes down what came of each."""

import os
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile
import time

import normalise
import steps

PATIENCE = float(os.environ.get("PERSON_PATIENCE", "60"))  # seconds until a step that waits for something gives up
# Objects whose pods or sets have made-up names.
OWNERS = ["web", "applied", "agent", "once", "db", "single"]


class Session:
    def __init__(self, kubectl, kubeconfig, on, manifests):
        self._kubectl = kubectl
        self._on = on
        self._manifests = pathlib.Path(manifests)
        self._home = tempfile.TemporaryDirectory()  # discovery caches of another cluster must not be seen
        self._environment = {"PATH": os.environ["PATH"], "HOME": self._home.name, "KUBECONFIG": str(kubeconfig)}
        self._old = "v1.20" in self._call(["version", "--client"]).stdout
        nodes = self._call(["get", "nodes", "-o", "name"])
        if nodes.returncode != 0:
            raise RuntimeError("the cluster does not answer: " + nodes.stdout + nodes.stderr)
        self._nodes = sorted(nodes.stdout.replace("node/", "").split())
        self._normaliser = normalise.Normaliser(self._nodes, OWNERS)
        self._lines = []
        self._failures = []

    def run(self):
        for step in steps.steps():
            self._step(step)
        return self._lines, self._failures

    def _fail(self, message):
        self._failures.append(message)
        print(message, flush=True)

    def _step(self, step):
        if step.only not in ("", self._on) or (step.kubectl == "current" and self._old):
            return
        self._watch(step) if isinstance(step, steps.Watch) else self._command(step)

    def _call(self, arguments, stdin="", editor=""):
        environment = self._environment | ({"KUBE_EDITOR": editor} if editor else {})
        return subprocess.run([self._kubectl, *arguments], input=stdin, capture_output=True, text=True, env=environment,
                              timeout=PATIENCE * 2)

    def _filled(self, text):
        for i, name in enumerate(self._nodes):
            text = text.replace("{node%d}" % (i + 1), name)
        return text

    def _arguments(self, step):
        arguments = shlex.split(self._filled(step.args))
        # Not where it would be a second one, or where there is none yet.
        return arguments if "-n" in arguments else ["-n", "person", *arguments]

    def _command(self, step):
        stdin = self._filled((self._manifests / step.manifest).read_text()) if step.manifest else ""
        arguments = self._arguments(step)
        patterns = [self._filled(pattern) for pattern in step.until]
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._call(arguments, stdin, step.editor)
            output = answer.stdout + answer.stderr
            missing = [pattern for pattern in patterns if not re.search(pattern, output)]
            if not missing or time.monotonic() > deadline:
                break
            time.sleep(0.2)
        if missing:
            self._fail(f"{step.name}: never saw {missing[0]!r} in:\n{output}")
        expected = step.old_code if self._old and step.old_code is not None else step.code
        # Elsewhere the transcript tells, unless the step is in none.
        if answer.returncode != expected and (self._on == "real" or step.unrecorded):
            self._fail(f"{step.name}: exit code {answer.returncode}, not {expected}:\n{output}")
        if not step.unrecorded:
            self._record(step, answer.stdout, answer.stderr, answer.returncode)

    def _watch(self, step):
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen([self._kubectl, *self._arguments(step)], stdout=output, stderr=subprocess.STDOUT,
                                       stdin=subprocess.DEVNULL, env=self._environment)
            try:
                for inner in step.during:
                    self._step(inner)
                deadline = time.monotonic() + PATIENCE
                missing = list(step.until)
                while missing and time.monotonic() < deadline:
                    time.sleep(0.1)
                    text = _contents(output)
                    missing = [pattern for pattern in missing if not re.search(pattern, text)]
            finally:
                process.send_signal(signal.SIGINT)
                process.wait()
            if missing:
                self._fail(f"{step.name}: never saw {missing[0]!r} in:\n{_contents(output)}")
            self._record(step, _contents(output), "", None)

    def _record(self, step, stdout, stderr, code):
        yaml = getattr(step, "yaml", False)
        lines = self._normaliser.text(stdout, yaml, getattr(step, "owners", False)) + ["! " + line for line in self._normaliser.text(stderr)]
        if step.keep:
            lines = sorted({line for line in lines if any(re.search(pattern, line.removeprefix("! ")) for pattern in step.keep)})
        lines = [line for line in lines if not any(re.search(pattern, line) for pattern in step.drop)]
        self._lines.append(f"== {step.name}: kubectl {step.args}")
        self._lines += lines
        if code:
            self._lines.append(f"-> {code}")


def _contents(file):
    # The child shares our place in the file: read beside it.
    return os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0).decode(errors="replace")

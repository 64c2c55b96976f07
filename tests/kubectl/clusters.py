"""The clusters and the kubectls to test with."""

import json
import os
import pathlib
import subprocess
import tempfile
import time

NODES = 3


class Lacking(Exception):
    """This machine lacks something; the test is skipped."""


def kubectl(which, rig, debian):
    if which == "old":
        answer = subprocess.run([debian], capture_output=True, text=True)
        if answer.returncode != 0:
            raise Lacking("Debian's kubectl is not available: " + answer.stderr.strip())
        return answer.stdout.strip()
    if which == "current":
        return str(_rig_bin(rig) / "kubectl")
    return which


def _rig_bin(rig):
    answer = subprocess.run([rig, "build", "--only", "kubectl"], capture_output=True, text=True)
    if answer.returncode == 3:
        raise Lacking("the rig's kubectl is not built here: " + answer.stderr.strip())
    if answer.returncode != 0:
        raise RuntimeError(answer.stderr)
    return pathlib.Path(answer.stdout.strip().splitlines()[-1])


class Given:
    def __init__(self, kubeconfig):
        self._kubeconfig = kubeconfig

    def __enter__(self):
        return self._kubeconfig

    def __exit__(self, *_):
        pass


class Real:
    """A real control plane with KWOK nodes for this run alone: the steps change nodes and CRDs."""

    def __init__(self, rig):
        self._rig = rig
        self._name = f"person-{os.getpid()}"

    def __enter__(self):
        answer = subprocess.run(
            [self._rig, "up", self._name, "--json", "--nodes", str(NODES), "--keep-alive-of", str(os.getpid()),
             "--with", "etcd,kube-apiserver,kube-controller-manager,kube-scheduler,kwok"],
            capture_output=True, text=True)
        if answer.returncode == 3:
            raise Lacking("the real control plane is not built here: " + answer.stderr.strip())
        if answer.returncode != 0:
            raise RuntimeError(answer.stderr)
        return json.loads(answer.stdout)["kubeconfig"]

    def __exit__(self, *_):
        subprocess.run([self._rig, "down", self._name], capture_output=True)


class Embedded:
    """`rescheduler sim`, in real time."""

    def __init__(self, rescheduler):
        self._rescheduler = rescheduler

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory()
        kubeconfig = pathlib.Path(self._folder.name) / "kubeconfig"
        self._log = open(pathlib.Path(self._folder.name) / "log", "w+")
        self._process = subprocess.Popen(
            [self._rescheduler, "sim", "--nodes", str(NODES), "--kubeconfig-out", str(kubeconfig)],
            stdout=self._log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while not kubeconfig.exists() or not kubeconfig.stat().st_size:
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._log.seek(0)
                raise RuntimeError("rescheduler sim did not start: " + self._log.read())
            time.sleep(0.05)
        return str(kubeconfig)

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._log.close()
        self._folder.cleanup()

"""One round: a newly started scheduler places pods that are all pending, and is measured.

All pods exist before the first decision, so that neither their creation nor the API server's work for it slows the scheduler
or takes its CPUs. The scheduler needs no change for that: it waits for a lease that this script holds, and like any standby
it keeps its informers synced. Releasing the lease is the start.
"""

import contextlib
import json
import subprocess
import time

from repeatable.failed import Failed

from . import workloads
from .control_plane import LEASE, Churn, cpu_seconds

KUBE_SCHEDULER, OURS, BARE = "kube-scheduler", "rescheduler", "bare binding"
CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {{kubeconfig: {kubeconfig}, qps: 5000, burst: 5000}}
leaderElection:
  leaderElect: true
  resourceNamespace: kube-system
  resourceName: {lease}
  leaseDuration: 60s  # long, for a busy machine; there is no other candidate
  renewDeadline: 40s
  retryPeriod: 1s
{percentage}profiles:
- schedulerName: {name}
"""
IDLE_CPU = 0.02  # CPU seconds per second: below this, a scheduler has processed all objects
SECONDS_TO_SETTLE = 60
WATCH_LIMIT = 1800


def wait_idle(pid):
    """Waits until the process is idle."""
    deadline = time.monotonic() + SECONDS_TO_SETTLE
    before, calm = cpu_seconds(pid), 0
    while calm < 3:
        if time.monotonic() > deadline:
            raise Failed("the scheduler never came to rest while it had nothing to do")
        time.sleep(0.5)
        now = cpu_seconds(pid)
        calm = calm + 1 if now - before <= IDLE_CPU / 2 else 0
        before = now


class Scheduler:
    def __init__(self, name, argv, plane, percentage):
        config = plane.folder / f"{name}.yaml"
        config.write_text(CONFIGURATION.format(
            kubeconfig=plane.kubeconfig, lease=LEASE, name=name,
            percentage="" if percentage is None else f"percentageOfNodesToScore: {percentage}\n"))
        self._log = plane.folder / f"{name}.log"
        with open(self._log, "w") as log:
            self._process = subprocess.Popen([*argv, f"--config={config}", "--secure-port=0"], stdin=subprocess.DEVNULL,
                                             stdout=log, stderr=log)
        self.pid = self._process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def check(self):
        if self._process.poll() is not None:
            last = self._log.read_text(errors="replace").strip().splitlines()[-5:]
            raise Failed(f"the scheduler ended with {self._process.returncode}: " + " / ".join(last))

    def log_tail(self):
        return " / ".join(self._log.read_text(errors="replace").strip().splitlines()[-3:])

    def peak_megabytes(self):
        with open(f"/proc/{self.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) * 1024 / 1e6


class Watching:
    """Watches the pods get their nodes."""

    def __init__(self, plane, pods, quiet):
        self._wanted = pods
        self._process = subprocess.Popen(plane.client_argv("wait-bound", workloads.MEASURED, pods, quiet),
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if self._process.stdout.readline().strip() != "watching":
            raise Failed(f"cannot watch pods: {self._process.stderr.read().strip()}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def wait(self):
        out, problem = self._process.communicate(timeout=WATCH_LIMIT)
        if self._process.returncode != 0:
            raise Failed(problem.strip())
        return json.loads(out.strip().splitlines()[-1])


def rate(seen, start=None):
    """From the first binding to the last, or from the start if much work precedes the first binding."""
    if start is not None:
        return seen["bound"] / (seen["last"] - start)
    return (seen["bound"] - 1) / (seen["last"] - seen["first"]) if seen["last"] > seen["first"] else 0.0


def wait_events_end(plane):
    """Waits for events, which may follow the bindings; they are part of the work."""
    deadline, before = time.monotonic() + SECONDS_TO_SETTLE, None
    while time.monotonic() < deadline:
        now = plane.requests_so_far()
        if now == before:
            break
        before = now
        time.sleep(1.0)
    return before


def bare_binding(plane, workload, nodes, pods):
    """The upper limit: a client that binds without deciding."""
    plane.make_pods(workloads.named(workload.pod, "no-scheduler"), "bare", pods)
    with Watching(plane, pods, 60) as watching:
        plane.client("bind", workloads.MEASURED, nodes)
        seen = watching.wait()
    return {"pods_per_second": rate(seen), "bound": seen["bound"]}


def schedule(plane, workload, pods, name, argv, options):
    plane.hold()
    with contextlib.ExitStack() as stack:
        scheduler = stack.enter_context(Scheduler(name, argv, plane, options.percentage))
        time.sleep(1.0)
        scheduler.check()
        wait_idle(scheduler.pid)
        cpu = cpu_seconds(scheduler.pid)
        plane.make_pods(workloads.named(workload.pod, name), "measured", pods)
        wait_idle(scheduler.pid)
        received = cpu_seconds(scheduler.pid)
        requests, server_cpu = plane.requests_so_far(), plane.server_cpu_seconds()
        watching = stack.enter_context(Watching(plane, pods, options.quiet))
        churn = stack.enter_context(Churn(plane, name)) if workload.churn else None
        released = time.monotonic()
        plane.release()
        seen = watching.wait()
        scheduler.check()
        if churn:
            churn.end()
            if churn.problem:
                raise churn.problem
        after = wait_events_end(plane)
        after.subtract(requests)
        if churn:
            after.subtract(churn.requests)
        if seen["bound"] == 0:
            raise Failed(f"not one pod got a node; it says: {scheduler.log_tail()}")
        bound = seen["bound"]
        start = plane.lease_taken() or released
        return {
            "bound": bound,
            "pods_per_second": rate(seen, start if workload.from_start else None),
            "seconds_to_first": seen["first"] - start,
            "cpu_ms": (cpu_seconds(scheduler.pid) - cpu) * 1e3 / bound,
            "receiving_cpu_ms": (received - cpu) * 1e3 / bound,
            "server_cpu_ms": (plane.server_cpu_seconds() - server_cpu) * 1e3 / bound,
            "peak_mb": scheduler.peak_megabytes(),
            "requests": sum(after.values()) / bound,
            "requests_by_kind": {" ".join(kind): round(count / bound, 3) for kind, count in sorted(after.items()) if count},
        }


def clean(plane):
    plane.delete_pods(workloads.MEASURED)
    plane.delete_pods("app=churn")
    plane.delete_events()

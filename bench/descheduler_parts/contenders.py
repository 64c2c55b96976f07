"""The contenders and their settings.

Both judge by requests, run every five seconds, and may move any number of pods: descheduler has no limits by default, so ours
are switched off. Ours does not wait for a third sample or a minimum age of pods, because descheduler does neither.
"""

import contextlib
import dataclasses
import json
import subprocess

from peers_parts.control_plane import RIG
from repeatable.about import ROOT
from repeatable.failed import Failed

INTERVAL = "5s"
DESCHEDULER = {
    "apiVersion": "descheduler/v1alpha2", "kind": "DeschedulerPolicy",
    "profiles": [{
        "name": "bench",
        "pluginConfig": [
            {"name": "DefaultEvictor", "args": {"nodeFit": True}},
            {"name": "LowNodeUtilization", "args": {
                "useDeviationThresholds": True, "thresholds": {"cpu": 10, "memory": 10},
                "targetThresholds": {"cpu": 10, "memory": 10}}}],
        "plugins": {"balance": {"enabled": ["LowNodeUtilization"]}},
    }],
}
POINTS = {point: {"enabled": [{"name": "Rescheduler"}]} for point in ("filter", "score", "reserve", "preBind")}


def ours(kubeconfig, moves):
    limits = {"total": 0, "perNode": 0, "perNamespace": 0, "perWorkload": 0}
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(kubeconfig), "qps": 5000, "burst": 5000},
        "leaderElection": {"leaderElect": True, "resourceNamespace": "kube-system", "resourceName": "bench",
                           "leaseDuration": "60s", "renewDeadline": "40s", "retryPeriod": "1s"},
        "profiles": [{"schedulerName": "rescheduler-scheduler", "plugins": POINTS, "pluginConfig": [{
            "name": "Rescheduler", "args": {
                "enableReschedulingController": moves, "reschedulingInterval": INTERVAL,
                "enabledStrategies": ["LoadBalancing"], "load": {"sources": []},
                "rescheduling": {
                    "loadBalancing": {"needed": 1, "of": 1, "deviationTrigger": 5, "deviationTarget": 4},
                    "protections": {"leastAge": "0s"},
                    "brakes": {"perCycle": limits, "atOnce": limits | {"total": 100, "perWorkload": 1}}}}}]}],
    }


class Running:
    def __init__(self):
        self._all = {}

    def begin(self, name, argv, plane, stack):
        log = plane.folder / f"{name}.log"
        with open(log, "w") as out:
            process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        stack.callback(_end, process)
        self._all[name] = (process, process.pid, log)

    def also(self, name, pid):
        """A process that runs through all rounds: its peak memory is counted from now on."""
        with open(f"/proc/{pid}/clear_refs", "w") as file:
            file.write("5")
        self._all[name] = (None, pid, None)

    def check(self):
        for name, (process, _, log) in self._all.items():
            if process and process.poll() is not None:
                last = log.read_text(errors="replace").strip().splitlines()[-3:]
                raise Failed(f"{name} ended with {process.returncode}: " + " / ".join(last))

    def peak_megabytes(self):
        return {name: round(_peak(pid)) for name, (_, pid, _) in self._all.items()}


def _peak(pid):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:")) * 1024 / 1e6


def _end(process):
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@dataclasses.dataclass(frozen=True)
class Contender:
    title: str
    scheduler: str  # places the replacement pods
    descheduler: bool

    @contextlib.contextmanager
    def processes(self, plane, arguments):
        running = Running()
        with contextlib.ExitStack() as stack:
            if self.scheduler == "rescheduler-scheduler":
                config = plane.file("rescheduler.yaml", ours(plane.kubeconfig, moves=not self.descheduler))
                running.begin("rescheduler", [arguments.build / "src" / "cli" / "rescheduler", "run", f"--config={config}",
                                              "--secure-port=0"], plane, stack)
            else:
                running.also("kube-scheduler", plane.pid_of("kube-scheduler"))
            if self.descheduler:
                policy = plane.file("policy.json", DESCHEDULER)
                running.begin("descheduler", [look_for_descheduler(), "--kubeconfig", plane.kubeconfig,
                                              "--policy-config-file", policy, "--descheduling-interval", INTERVAL,
                                              "--secure-port", "0", "--v", "1"], plane, stack)
            yield running


ALL = {
    "descheduler": Contender("descheduler, kube-scheduler", "default-scheduler", True),
    "ours": Contender("ours", "rescheduler-scheduler", False),
    "descheduler-ours": Contender("descheduler, our scheduler", "rescheduler-scheduler", True),
}


def look_for_descheduler():
    found = subprocess.run([RIG, "which", "descheduler"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    if found.returncode != 0:
        raise Failed("descheduler is not built; `tools/kube-rig/rig build --only descheduler` does that")
    return found.stdout.strip()


def about():
    def pinned(module, dependency):
        for line in (ROOT / "tools" / "kube-rig" / "modules" / module / "go.mod").read_text().splitlines():
            words = line.split()
            if dependency in words:
                return words[words.index(dependency) + 1]
        return "?"

    return (f"descheduler {pinned('descheduler', 'sigs.k8s.io/descheduler')}, Kubernetes "
            f"{pinned('kubernetes', 'k8s.io/kubernetes')}. descheduler's plugins: "
            f"{json.dumps(DESCHEDULER['profiles'][0]['pluginConfig'])}")

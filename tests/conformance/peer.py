"""Lets the real kube-scheduler decide scenarios, one after another, on a control plane of its own.

Only etcd, the API server and kube-scheduler run: no controller changes the objects of a scenario, and no kubelet removes
the pods that kube-scheduler deletes.
"""

import itertools
import json
import os
import pathlib
import re
import subprocess
import tempfile

import api as kube
import builder
from kube_scheduler import PROBE, PROBE_REASON, KubeScheduler

ALWAYS_DUMPED = ["Namespace", "PriorityClass", "Node", "Pod"]
SEEN_NODE, SEEN_BOUND_POD, SEEN_NEW_POD = (
    "Add event for node", "Add event for scheduled pod", "Add event for unscheduled pod")
GONE_NODE, GONE_BOUND_POD = "Delete event for node", "Delete event for scheduled pod"
CHANGED_POD = "Update event for scheduled pod"
BOUND, VOLUMES, UNFIT = ("Successfully bound pod to node", "BindPodVolumes", "Unable to schedule pod; no fit; waiting")
NO_NODES = "Unable to schedule pod; no nodes are registered to the cluster; waiting"
FAILED, GATED = "Error scheduling pod; retrying", "Status after running PreEnqueue plugin"
TARGET, PREEMPTED, PREEMPTION_DONE = ("the target node for the preemption is determined",
                                      "Preemptor Pod preempted victim Pod", "Async Preemption finished completely")


class Lacking(Exception):
    """This machine lacks something; the test is skipped."""


def key_of(thing):
    metadata = thing["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}" if metadata.get("namespace") else metadata["name"]


def logged(lines, sentence, **values):
    return [line[1] for line in lines
            if line[0] == sentence and all(line[1].get(key) == value for key, value in values.items())]


class Peer:
    def __init__(self, rig):
        self._rig = str(rig)
        self._name = f"conformance-{os.getpid()}"

    def __enter__(self):
        answer = subprocess.run(
            [self._rig, "up", self._name, "--json", "--keep-alive-of", str(os.getpid()), "--with", "etcd,kube-apiserver",
             # The last plugin would add finalizers to volumes and claims; no controller is there to remove them.
             "--apiserver-arg", "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,"
             "StorageObjectInUseProtection", "--apiserver-arg", "--delete-collection-workers=4"],
            capture_output=True, text=True)
        if answer.returncode == 3:
            raise Lacking("the real control plane is not built here: " + answer.stderr.strip())
        if answer.returncode != 0:
            raise RuntimeError(answer.stderr)
        self._folder = tempfile.TemporaryDirectory()
        self.scheduler = None
        try:
            self._start(json.loads(answer.stdout))
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self, description):
        binary = subprocess.run([self._rig, "which", "kube-scheduler"], capture_output=True, text=True)
        if binary.returncode != 0:
            raise Lacking("kube-scheduler is not built here: " + binary.stderr.strip())
        self.api = kube.Api(description)
        for thing in builder.fixed_objects():
            self.api.create(thing)
        folder = pathlib.Path(self._folder.name)
        subprocess.run([self._rig, "mint", self._name, "--user", "system:kube-scheduler", "--out", str(folder)],
                       check=True, capture_output=True)
        self.scheduler = KubeScheduler(binary.stdout.strip(), folder)
        self.log = self.scheduler.log
        self._warm_up()

    def _warm_up(self):
        """kube-scheduler's caches are filled when it sees a node; admission knows the classes when pods of each can be created."""
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "warm-up"}}
        self.api.create(node)
        self.log.wait(lambda lines: logged(lines, SEEN_NODE, node="warm-up"), "the first node", 60)
        for number, name in enumerate([*builder.PRIORITIES, "light", "pool"]):
            spec = {"containers": [{"name": "main", "image": "x"}], "nodeName": "warm-up"}
            spec.update({"priorityClassName": name} if name in builder.PRIORITIES else {"runtimeClassName": f"conf-{name}"})
            self.api.create({"apiVersion": "v1", "kind": "Pod", "metadata": {
                "name": f"warm-up-{number}", "namespace": "conf-d"}, "spec": spec})
        self._clean(["Pod", "Node"])

    def __exit__(self, *_):
        if self.scheduler:
            self.scheduler.stop()
            self.api.close()
        subprocess.run([self._rig, "down", self._name], capture_output=True)
        self._folder.cleanup()

    def decide(self, scenario):
        """The dump that kube-scheduler decided on, and its decision."""
        self.scheduler.forget()
        try:
            self._make(scenario)
            kinds = [kind for kind in kube.KINDS
                     if kind in ALWAYS_DUMPED or any(thing["kind"] == kind for thing in scenario.objects)]
            dump = in_the_order_seen(
                [item for items in self.api.each(self.api.list, kinds) for item in items], self.log.lines())
            probe = self._probe(scenario)
            pod = self._submit(scenario)
            dump.append({"apiVersion": "v1", "kind": "Pod", **pod})
            outcome = self._outcome(scenario)
            result = self._result(scenario, outcome, dump, probe)
        finally:
            self._clean(sorted({thing["kind"] for thing in scenario.objects}) + ["Pod", "Node"])
        where = {"nextStartNodeIndex": start_of(dump, result)} if scenario.sampled else {}
        return {"kind": "List", "apiVersion": "v1", "pod": scenario.pod, **where, "items": dump}, result

    # Creating the scenario.

    def _make(self, scenario):
        # The log does not show when kube-scheduler has seen these. They come first; nodes and pods, which it logs, come
        # later.
        for kind in kube.KINDS:
            things = [thing for thing in scenario.objects if thing["kind"] == kind]
            if things:
                self.api.each(self._create, things)
        self.api.each(self._create, scenario.nodes + scenario.pods)
        for pod, node in scenario.nominees:
            self._create_nominated(pod, node)
        wanted = {(SEEN_NODE, key_of(node)) for node in scenario.nodes}
        wanted |= {(SEEN_BOUND_POD, key_of(pod)) for pod in scenario.pods}
        wanted |= {(UNFIT, key_of(pod)) for pod, _ in scenario.nominees}
        updates = {key_of(pod): ("_status" in pod) + ("_delete" in pod) for pod in scenario.pods}

        def all_seen(lines):
            seen = {(sentence, values.get("node") if sentence == SEEN_NODE else values.get("pod"))
                    for sentence, values in lines}
            if not wanted <= seen:
                return False
            changed = {}
            for values in logged(lines, CHANGED_POD):
                changed[values["pod"]] = changed.get(values["pod"], 0) + 1
            return all(changed.get(pod, 0) >= count for pod, count in updates.items())

        self.log.wait(all_seen, "everything there is in " + scenario.name)

    def _create(self, thing):
        self.api.create(thing)
        if "_status" in thing:
            self.api.patch(thing, {"status": thing["_status"]}, "/status")
        if "_delete" in thing:
            self.api.call("DELETE", kube.path_of(thing))

    def _create_nominated(self, pod, node):
        """Nominates the pod before its first attempt: until then it has a scheduling gate besides its own gates."""
        own = pod["spec"].get("schedulingGates", [])
        gates = [*own, {"name": "example.com/not-yet"}]
        self.api.create({**pod, "spec": {**pod["spec"], "schedulingGates": gates}})
        self.api.patch(pod, {"status": {"nominatedNodeName": node}}, "/status")
        return self.api.patch(pod, {"spec": {"schedulingGates": own}})

    def _submit(self, scenario):
        if scenario.nominated:
            pod = self._create_nominated(scenario.incoming, scenario.nominated)
        else:
            pod = self.api.create(scenario.incoming)
        pod["metadata"].pop("managedFields", None)
        return pod

    def _probe(self, scenario):
        """A twin that our extender rejects on every node has the reasons of nodes even if others are feasible.

        If a search stops early, the twin would see other nodes than the pod. A nominated node is judged by all filters, even if
        PreFilter excludes it; for the twin, which is not nominated, only PreFilter's reason is reported.
        """
        spec = scenario.incoming["spec"]
        if not scenario.nodes or scenario.sampled or scenario.nominated or "schedulingGates" in spec or any(
                "ephemeral" in v for v in spec.get("volumes", [])):
            return None
        twin = {**scenario.incoming, "metadata": {
            **scenario.incoming["metadata"], "name": scenario.incoming["metadata"]["name"] + PROBE}}
        self.api.create(twin)
        key = key_of(twin)
        self.log.wait(lambda lines: logged(lines, UNFIT, pod=key) or logged(lines, FAILED, pod=key), "the probe's outcome")
        lines = self.log.lines()
        message = (logged(lines, UNFIT, pod=key) or [{"err": ""}])[0]["err"]
        feasible = (self.scheduler.extender.feasible.get(key) or [[]])[-1]
        return {"message": message, "feasible": feasible, "potential": potential_nodes(lines, key)}

    # Reading the result.

    def _outcome(self, scenario):
        key = scenario.pod

        def decided(lines):
            for sentence, values in lines:
                if values.get("pod") == key and sentence in (BOUND, VOLUMES, UNFIT, NO_NODES, FAILED, GATED):
                    if sentence != GATED or "schedulingGates" in scenario.incoming["spec"]:
                        return sentence, values
            return None

        sentence, values = self.log.wait(decided, "the decision about " + key)
        if sentence == UNFIT and logged(self.log.lines(), TARGET, pod=key):
            victims = [victim["UID"] for meta in self.scheduler.extender.candidates.get(key, {}).values()
                       for victim in meta["Pods"]]
            if victims and not logged(self.log.lines(), "Victim Pod is already being deleted, skipping the API call for it",
                                      preemptor=key):
                self.log.wait(lambda lines: logged(lines, PREEMPTION_DONE, preemptor=key), "the end of the preemption")
        return sentence, values

    def _result(self, scenario, outcome, dump, probe):
        sentence, values = outcome
        lines, key = self.log.lines(), scenario.pod
        result = {"pod": key, "profile": scenario.profile, "scenario": scenario.name, "themes": scenario.themes}
        if sentence in (BOUND, VOLUMES):
            result.update(outcome="scheduled", node=values["node"])
        elif sentence == UNFIT:
            result.update(outcome="unschedulable", message=values["err"])
        elif sentence == NO_NODES:
            result.update(outcome="unschedulable", message="no nodes available to schedule pods")
        elif sentence == GATED:
            result.update(outcome="gated")
        else:
            result.update(outcome="error", message=values.get("err", ""))
        target = logged(lines, TARGET, pod=key)
        if target:
            uids = {item["metadata"]["uid"]: key_of(item) for item in dump if item["kind"] == "Pod"}
            candidates = [
                {"node": node, "pdbViolations": meta.get("NumPDBViolations", 0),
                 "victims": [uids[victim["UID"]] for victim in meta["Pods"]]}
                for node, meta in sorted(self.scheduler.extender.candidates.get(key, {}).items())]
            chosen = target[0]["node"]
            result.update(outcome="nominated", nominatedNode=chosen, preemption={"candidates": candidates},
                          victims=sorted(victim for entry in candidates if entry["node"] == chosen
                                         for victim in entry["victims"]),
                          deleted=sorted(values["victim"] for values in logged(lines, PREEMPTED, preemptor=key)))
        if outcome[0] not in (GATED, NO_NODES):
            result["nodes"] = self._nodes(scenario, lines, probe, result)
        if probe:
            result["reasons"] = reasons_in(probe["message"])
        return result

    def _nodes(self, scenario, lines, probe, result):
        key = scenario.pod
        calls = self.scheduler.extender.feasible.get(key) or [[]]
        feasible = set(calls[-1])
        if scenario.sampled:
            result["found"] = calls[-1]  # in search order
        # A feasible nominated node is chosen without filtering the others.
        result["onlyNominated"] = bool(scenario.nominated) and calls[0] == [scenario.nominated] and len(calls) == 1
        if probe:
            if not result["onlyNominated"] and feasible != set(probe["feasible"]):
                raise Unsteady(f"{sorted(feasible)} and {sorted(probe['feasible'])} are feasible for twins")
            feasible = set(probe["feasible"])
        potential = probe["potential"] if probe else potential_nodes(lines, key)
        nodes = []
        for name in sorted(key_of(node) for node in scenario.nodes):
            entry = {"name": name, "feasible": name in feasible}
            if entry["feasible"]:
                scores = {values["plugin"]: {"weighted": int(values["score"])}
                          for values in logged(lines, "Plugin scored node for pod", pod=key, node=name)}
                total = logged(lines, "Calculated node's final score for pod", pod=key, node=name)
                if scores:
                    entry.update(scores=scores, total=int(total[0]["score"]))
            elif feasible and scenario.sampled:
                continue  # rejected, or not filtered at all: the log does not tell
            elif potential is not None:
                entry["code"] = "Unschedulable" if name in potential else "UnschedulableAndUnresolvable"
            nodes.append(entry)
        return nodes

    # Cleaning up.

    def _clean(self, kinds):
        nodes = {key_of(node) for node in self.api.list("Node")}
        pods = {key_of(pod) for pod in self.api.list("Pod") if pod["spec"].get("nodeName")}
        paths = []
        for kind in kinds:
            namespaced = kube.KINDS[kind][2]
            for namespace in builder.NAMESPACES if namespaced else [None]:
                paths.append(kube.collection(kind, namespace) + ("?gracePeriodSeconds=0" if kind == "Pod" else ""))
        self.api.each(lambda path: self.api.call("DELETE", path), paths)

        def all_gone(lines):
            return (nodes <= {values.get("node") for values in logged(lines, GONE_NODE)}
                    and pods <= {values.get("pod") for values in logged(lines, GONE_BOUND_POD)})

        self.log.wait(all_gone, "that everything is gone")


class Unsteady(Exception):
    """Two attempts in a row saw different clusters; the scenario must be created again."""


def in_the_order_seen(dump, lines):
    """The dump with its nodes in the order in which kube-scheduler first saw them."""
    seen = {values["node"]: number for number, values in reversed(list(enumerate(logged(lines, SEEN_NODE))))}
    nodes = iter(sorted((item for item in dump if item["kind"] == "Node"), key=lambda node: seen[key_of(node)]))
    return [next(nodes) if item["kind"] == "Node" else item for item in dump]


def zone_interleaved(nodes):
    """Names of nodes in kube-scheduler's order: zones take turns (its nodeTree)."""
    zones = {}
    for node in nodes:
        labels = node["metadata"].get("labels", {})
        zone = tuple(labels.get(f"failure-domain.beta.kubernetes.io/{part}", labels.get(f"topology.kubernetes.io/{part}"))
                     for part in ("region", "zone"))
        zones.setdefault(zone, []).append(key_of(node))
    return [name for turn in itertools.zip_longest(*zones.values()) for name in turn if name is not None]


def start_of(dump, result):
    """Where the search started, or an equivalent start: the first node it found. Nodes before that one were rejected."""
    found = result.get("found")
    return zone_interleaved([item for item in dump if item["kind"] == "Node"]).index(found[0]) if found else 0


def potential_nodes(lines, key):
    """Nodes whose status allows preemption, as far as preemption got; None if preemption did not run."""
    if logged(lines, "Pod is not eligible for preemption", pod=key):
        return None
    if logged(lines, "Preemption will not help schedule pod on any node", pod=key):
        return set()
    if not logged(lines, "Dry run the preemption", pod=key):
        return None
    return {values["node"] for values in logged(lines, "Check the potential node for preemption", pod=key)}


def reasons_in(message):
    """Reason -> number of nodes, without the reason of the probe's extender and without the part about preemption."""
    match = re.match(r"0/\d+ nodes are available: (.*?)\.(?: .*)?$", message)
    reasons = {}
    for part in match.group(1).split(", ") if match else []:
        count, _, reason = part.partition(" ")
        if count.isdigit() and reason != PROBE_REASON:
            reasons[reason] = int(count)
    return reasons

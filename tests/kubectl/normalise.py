"""Replaces values that differ from run to run: generated names everywhere, all other values by path."""

import re
from dataclasses import dataclass

LETTERS = "[bcdfghjklmnpqrstvwxz2456789]"  # the letters of generated names in Kubernetes
TIME = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"
LONG_TIME = r"^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}$"
AGE = r"(\d+[smhdy]){1,2}"
UID = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
IP = r"\b\d{1,3}(\.\d{1,3}){3}\b"


@dataclass
class Rule:
    why: str
    paths: tuple  # suffixes of the paths where the rule applies
    pattern: str  # what is replaced in the value; a value that does not match stays, and is a difference
    word: str
    where: str = ""  # "current": the old kubectl shows no such path; "real": the embedded cluster has no such value


RULES = [
    Rule("ages depend on the duration of the run", ("AGE", "DURATION", "FIRST SEEN", "LAST SEEN"), f"^{AGE}$", "AGE"),
    Rule("times differ in every run",
         ("creationTimestamp", "lastTransitionTime", "lastUpdateTime", "lastHeartbeatTime", "lastProbeTime", "startTime",
          "startedAt", "completionTime", "firstTimestamp", "lastTimestamp", "deprecatedFirstTimestamp",
          "deprecatedLastTimestamp", "CREATED AT"), TIME, "TIME"),
    Rule("times differ in every run", ("time",), TIME, "TIME", "current"),
    Rule("times differ in every run", ("annotations.kubectl.kubernetes.io/restartedAt",), TIME, "TIME"),
    Rule("times differ in every run", ("Pod Template.Annotations.1",), r"(?<=restartedAt: )\S+Z$", "TIME"),
    Rule("times differ in every run", ("CreationTimestamp", "RenewTime", "LastHeartbeatTime", "LastTransitionTime",
                                        "Start Time", "Started"), LONG_TIME, "TIME"),
    Rule("every object has its own uid",
         ("uid", "labels.controller-uid", "labels.batch.kubernetes.io/controller-uid",
          "matchLabels.batch.kubernetes.io/controller-uid"), f"^{UID}$", "UID"),
    Rule("every object has its own uid", ("SELECTOR",), UID, "UID"),
    Rule("KWOK writes the name of the machine into leases, and the embedded kubelets write the name of the node",
         ("Lease.HolderIdentity",), f"^.*_{UID}$",
         "MACHINE_UID", "real"),
    Rule("resourceVersions depend on all writes to the cluster", ("resourceVersion",), r"^\d+$", "VERSION"),
    Rule("addresses are assigned by the cluster",
         ("INTERNAL-IP", "CLUSTER-IP", "IP", "clusterIP", "clusterIPs.1", "podIP", "podIPs.1.ip", "hostIP", "hostIPs.1.ip",
          "addresses.1.address", "Addresses.InternalIP", "Node", "IPs"), IP, "IP"),
    Rule("addresses are assigned by the cluster", ("ENDPOINTS", "Endpoints"), IP, "IP", "real"),
    Rule("every cluster has its own port", ("out.1",), r"https://127\.0\.0\.1:\d+", "https://SERVER"),
    Rule("a generated name is a hash of the object, which contains a uid",
         ("pod-template-hash",), rf"^{LETTERS}{{6,10}}$", "HASH"),
    Rule("the name of an event contains a time", ("metadata.name", "NAME"), r"(?<=[a-zH])\.[0-9a-f]{15,16}$", ".EVENT"),
]


class Normaliser:
    """Knows the names of the nodes, and of the objects whose pods, sets and slices have generated names."""

    def __init__(self, nodes, owners, rules=None):
        self._names = [(re.compile(rf"\b{re.escape(name)}\b(?!-)"), f"node{place}") for place, name in enumerate(nodes, 1)]
        owned = "|".join(map(re.escape, owners))
        self._names += [
            (re.compile(rf"\b({owned})-{LETTERS}{{6,10}}-{LETTERS}{{5}}\b"), r"\1-HASH-SUFFIX"),
            (re.compile(rf"\b({owned}|kube-api-access)-{LETTERS}{{5}}\b(?!-)"), r"\1-SUFFIX"),
            (re.compile(rf"\b({owned})-{LETTERS}{{6,10}}\b"), r"\1-HASH"),
        ]
        self._rules = [(rule, path, re.compile(rule.pattern)) for rule in (RULES if rules is None else rules)
                       for path in rule.paths]
        self._used = set()

    def names(self, text):
        for pattern, word in self._names:
            text = pattern.sub(word, text)
        return text

    def value(self, path, value):
        if not isinstance(value, str):
            return value
        value = self.names(value)
        for rule, end, pattern in self._rules:
            if path == end or path.endswith("." + end):
                value, count = pattern.subn(rule.word, value)
                if count:
                    self._used.add((rule.why, end))
        return value

    def unused(self, places):
        """Paths of rules that replaced nothing: an unused rule must be removed."""
        return [f"{end}: {rule.why}" for rule, end, _ in self._rules
                if (rule.why, end) not in self._used and rule.where in ("", *places)]

"""For each entry of explained.EXPLAINED a cluster in which that difference must appear.

Every run creates them first. If kube-scheduler is fixed one day, the explanation is no longer used, and the run reports it.
"""

import themes
from builder import HOST, cpu
from volumes import mount


def _nodes(b):
    b.make_nodes(b.rng.randint(2, 4))
    for node in b.nodes:
        node["metadata"]["labels"][HOST] = node["metadata"]["name"]
        for part in ("capacity", "allocatable"):
            node["status"][part].update(cpu="4", memory="8Gi", pods="20")


def _incoming(b, priority=None, requests=None):
    b.incoming = b.pod(f"{b.prefix}-pod", "conf-a", "web", requests or {"cpu": "100m"})
    if priority:
        b.incoming["spec"]["priorityClassName"] = priority


def every_namespace(b):
    """A pod in a namespace of team blue repels the incoming pod only if the namespace's labels are ignored."""
    _nodes(b)
    b.add_pod(node=b.node_names()[0], namespace="conf-b", app="web", requests={})
    _incoming(b)
    not_blue = {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["blue"]}]}
    b.incoming["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
        {"topologyKey": HOST, "labelSelector": {"matchLabels": {"app": "web"}}, "namespaceSelector": not_blue}]}}


def several_budgets(b):
    """Two victims: the first violates budget 1, and budget 2 allows one of them, not both."""
    _nodes(b)
    for node in b.node_names():
        for app, priority in (("db", "conf-mid"), ("cache", "conf-low")):
            pod = b.add_pod(node=node, namespace="conf-a", app=app, priority=priority, requests={"cpu": cpu(1900)})
            pod["metadata"]["labels"] = {"app": app, "budget": "both"}
    _incoming(b, priority="conf-high", requests={"cpu": cpu(3900)})
    for allowed, labels in ((0, {"app": "db"}), (1, {"budget": "both"})):
        b.add("PodDisruptionBudget", b.name("pdb"), api="policy/v1", namespace="conf-a",
              spec={"minAvailable": 1, "selector": {"matchLabels": labels}})["_status"] = {
                  "disruptionsAllowed": allowed, "currentHealthy": 3, "desiredHealthy": 3 - allowed, "expectedPods": 3,
                  "observedGeneration": 1}
    themes.start_times(b)


def lost_claims(b):
    """A claim that does not exist."""
    _nodes(b)
    _incoming(b)
    mount(b, f"{b.prefix}-nothing")


PROVOKE = {"every-namespace": every_namespace, "several-budgets": several_budgets, "lost-claims": lost_claims}

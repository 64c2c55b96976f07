"""Seeded random clusters, each with one pod to decide about.

A scenario has one to four themes, so that few rules interact at a time and every rule is covered. All random choices come
from the seed and the number of the scenario: the same two values give the same objects.
"""

import dataclasses
import random

import themes
import volumes
import witnesses
from builder import Builder

# Theme -> weight of its random choice. Gates and the empty cluster have only one case each.
WEIGHTS = {
    "resources": 10, "taints": 8, "node-affinity": 9, "ports": 4, "spread": 12, "pod-affinity": 12, "images": 5,
    "bound-volumes": 6, "late-volumes": 7, "volume-limits": 4, "disks": 3, "preemption": 9, "owners": 6,
    "nominated": 5, "terminating": 4, "resize": 2, "gates": 1, "no-nodes": 1,
}
# Profile of profiles.yaml -> how often an incoming pod names it.
PROFILES = {"default-scheduler": 8, "packing": 2, "shaped": 2, "enforced": 2, "weighed": 2}
# Profiles that search only some of the nodes; large scenarios use them, with themes that are quick to create.
SAMPLING = ["sampled", "adaptive"]
SAMPLED = 100  # nodes; clusters of this size or larger are searched only in part
LARGE = 0.04  # share of all scenarios
LARGE_THEMES = ["taints", "node-affinity", "spread", "pod-affinity", "images", "owners"]
APPLY = {
    "resources": themes.resources, "taints": themes.taints, "node-affinity": themes.node_affinity,
    "ports": themes.ports, "spread": themes.spread, "pod-affinity": themes.pod_affinity, "images": themes.images,
    "bound-volumes": volumes.bound, "late-volumes": volumes.late, "volume-limits": volumes.limits,
    "disks": volumes.disks, "preemption": themes.preemption, "owners": themes.owners, "nominated": themes.nominated,
    "terminating": themes.terminating, "resize": themes.resize, "gates": themes.gates,
}


@dataclasses.dataclass
class Scenario:
    name: str
    themes: list
    objects: list  # neither nodes nor pods
    nodes: list
    pods: list  # bound to a node
    nominees: list  # (pod, node): pending, nominated to the node
    incoming: dict
    nominated: str = ""  # the node the incoming pod is nominated to

    @property
    def pod(self):
        return f"{self.incoming['metadata']['namespace']}/{self.incoming['metadata']['name']}"

    @property
    def profile(self):
        return self.incoming["spec"].get("schedulerName", "default-scheduler")

    @property
    def sampled(self):
        """Whether the search stops before it has seen every node."""
        return self.profile in SAMPLING and len(self.nodes) >= SAMPLED


def draw_themes(rng):
    count = rng.choices([1, 2, 3, 4], [30, 35, 25, 10])[0]
    chosen = []
    while len(chosen) < count:
        theme = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        if theme not in chosen:
            chosen.append(theme)
    if "no-nodes" in chosen:
        chosen = ["no-nodes"]
    # In the order of WEIGHTS, but preemption last: it fills nodes that the other themes use too.
    return sorted(chosen, key=lambda theme: (theme == "preemption", list(WEIGHTS).index(theme)))


def _obey_runtime_class(spec):
    """The API server refuses a pod whose node selector contradicts the one of its RuntimeClass."""
    if spec.get("runtimeClassName") == "conf-pool" and "pool" in spec.get("nodeSelector", {}):
        spec["nodeSelector"]["pool"] = "a"


def scenario_of(builder, name, chosen):
    _obey_runtime_class(builder.incoming["spec"])
    return Scenario(name=name, themes=chosen, objects=builder.objects, nodes=builder.nodes, pods=builder.pods,
                    nominees=builder.nominees, incoming=builder.incoming, nominated=builder.incoming_nominated)


def make(seed, number):
    rng = random.Random(f"{seed}/{number}")
    name = f"s{seed}-{number:05d}"
    if rng.random() < LARGE:
        return _make_large(rng, name, number)
    chosen = draw_themes(rng)
    builder = Builder(rng, f"k{number}")
    if chosen != ["no-nodes"]:
        builder.make_nodes(rng.choices([3, 4, 5, 6, 8, 10, 12], [20, 20, 20, 15, 12, 8, 5])[0])
        builder.make_pods(rng.choices([0, 4, 8, 14, 22], [10, 30, 30, 20, 10])[0])
    builder.make_incoming()
    for theme in chosen:
        if theme in APPLY:
            APPLY[theme](builder)
    if "preemption" not in chosen and rng.random() < 0.06:
        themes.squeeze(builder)
    if builder.incoming["spec"].get("priorityClassName") != "conf-polite":
        themes.start_times(builder)
    builder.incoming["spec"]["schedulerName"] = rng.choices(list(PROFILES), list(PROFILES.values()))[0]
    return scenario_of(builder, name, chosen)


def _make_large(rng, name, number):
    builder = Builder(rng, f"k{number}")
    builder.make_nodes(rng.choice([101, 130, 160, 200, 240]))
    builder.make_pods(rng.choice([0, 30, 80]))
    builder.make_incoming()
    chosen = sorted(rng.sample(LARGE_THEMES, rng.choice([0, 1, 1, 2])))
    for theme in chosen:
        APPLY[theme](builder)
    themes.start_times(builder)
    builder.incoming["spec"]["schedulerName"] = rng.choice(SAMPLING)
    return scenario_of(builder, name, ["large", *chosen])


def make_run(seed, first, count):
    """The scenarios of a run: one for each explained difference, and `count` random ones starting at number `first`."""
    for explanation, provoke in witnesses.PROVOKE.items():
        builder = Builder(random.Random(f"{seed}/{explanation}"), f"w-{explanation}")
        provoke(builder)
        yield scenario_of(builder, f"s{seed}-{explanation}", ["witness"])
    for number in range(first, first + count):
        yield make(seed, number)

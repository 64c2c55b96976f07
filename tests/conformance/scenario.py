"""Seeded random clusters, each with one pod to decide about.

A scenario takes one to four themes, so that few rules meet at a time and every one of them gets its turn. What depends on
chance comes from the seed and the scenario's number alone: the same two give the same objects.
"""

import dataclasses
import random

import themes
import volumes
from builder import Builder

# Theme -> how often it is drawn. Gates and the empty cluster have one thing to show each.
WEIGHTS = {
    "resources": 10, "taints": 8, "node-affinity": 9, "ports": 4, "spread": 12, "pod-affinity": 12, "images": 5,
    "bound-volumes": 6, "late-volumes": 7, "volume-limits": 4, "disks": 3, "preemption": 9, "owners": 6,
    "nominated": 5, "terminating": 4, "resize": 2, "gates": 1, "no-nodes": 1,
}
PROFILES = ["default-scheduler", "packing", "shaped", "enforced", "weighed"]  # as in profiles.yaml
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
    nominees: list  # (pod, node): wait, nominated to the node
    incoming: dict
    nominated: str = ""  # the node the incoming pod is nominated to

    @property
    def pod(self):
        return f"{self.incoming['metadata']['namespace']}/{self.incoming['metadata']['name']}"


def draw_themes(rng):
    count = rng.choices([1, 2, 3, 4], [30, 35, 25, 10])[0]
    chosen = []
    while len(chosen) < count:
        theme = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        if theme not in chosen:
            chosen.append(theme)
    if "no-nodes" in chosen:
        chosen = ["no-nodes"]
    # In the order of APPLY: preemption fills nodes after everything else has taken its share.
    return sorted(chosen, key=lambda theme: (theme == "preemption", list(WEIGHTS).index(theme)))


def make(seed, number, profiles=False):
    """With `profiles`, most incoming pods name one of profiles.yaml; else the scenario is the same."""
    rng = random.Random(f"{seed}/{number}")
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
    if profiles:
        builder.incoming["spec"]["schedulerName"] = random.Random(f"profile/{seed}/{number}").choice(PROFILES)
    return Scenario(name=f"s{seed}-{number:05d}", themes=chosen, objects=builder.objects, nodes=builder.nodes,
                    pods=builder.pods, nominees=builder.nominees, incoming=builder.incoming,
                    nominated=builder.incoming_nominated)

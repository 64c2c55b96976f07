"""Where the embedded cluster is known to differ from the real control plane, and why.

docs/embedded-cluster.md has the same list in prose. What the real one gives is in recorded/; here stands what the embedded
one gives instead, value by value. An explanation of a difference that there is not fails.
"""

from dataclasses import dataclass

from expect import ABSENT, Shape


@dataclass
class Difference:
    why: str
    steps: tuple  # names of steps
    embedded: dict  # {path: the value there}; * in a path stands for any text
    kubectl: str = ""  # "old" or "current": with that one only


UID = Shape(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DIGEST = "[0-9a-f]{64}"
VERSION = "v1.36.4-embedded"
# reason and message of what our kubelets say of their nodes
CONDITIONS = {
    "Ready": ("KubeletReady", "kubelet is posting ready status"),
    "MemoryPressure": ("KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    "DiskPressure": ("KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    "PIDPressure": ("KubeletHasSufficientPID", "kubelet has sufficient PID available"),
}
MACHINE = {"cpu": "4", "memory": "16Gi", "ephemeral-storage": "100Gi"}

NODES = "nodes are KWOK's there, of another size, and our own kubelets' here"
PODS = "KWOK runs no containers: no IDs of containers and images, no events, no PodScheduled for pods that name their node"
EMPTY = "fields that Go writes although they are empty are left out"
ACCOUNTS = "no accounts: no default ServiceAccount, no token in pods, no kube-root-ca.crt"
ENDPOINTS = "no endpoints: a Service leads nowhere"
OWNERS = ("who owns which field is tracked from the first server-side apply on; until then there are no managedFields, and all "
          "fields count as owned by before-first-apply")
WORDS = "what is wrong with a text that cannot be read is said in other words"
OPENAPI = ("the old kubectl checks objects by itself against OpenAPI version 2, which has no fields here: what is wrong is found "
           "by the server, and unknown fields are dropped")


def _nodes():
    wide = {"VERSION": VERSION, "OS-IMAGE": "Embedded Linux", "KERNEL-VERSION": "6.1.0-embedded (amd64)",
            "CONTAINER-RUNTIME": "containerd://2.0.0-embedded"}
    status = {f"status.conditions[{name}].{key}": text for name, texts in CONDITIONS.items()
              for key, text in zip(("reason", "message"), texts)}
    described = {f"Conditions.{name}.{key}": text for name, texts in CONDITIONS.items()
                 for key, text in zip(("Reason", "Message"), texts)}
    info = {"machineID": Shape("[0-9a-f]{32}"), "systemUUID": UID, "bootID": UID, "kernelVersion": "6.1.0-embedded",
            "osImage": "Embedded Linux", "containerRuntimeVersion": "containerd://2.0.0-embedded", "kubeletVersion": VERSION}
    system = {"Machine ID": Shape("[0-9a-f]{32}"), "System UUID": UID, "Boot ID": UID, "Kernel Version": "6.1.0-embedded",
              "OS Image": "Embedded Linux", "Container Runtime Version": "containerd://2.0.0-embedded", "Kubelet Version": VERSION}
    return [
        Difference(NODES, ("get-nodes", "cordoned", "drain-held-nodes", "drained"), {"node*.VERSION": VERSION}),
        Difference(NODES, ("get-nodes-wide",), {f"node*.{column}": value for column, value in wide.items()}),
        Difference(NODES, ("get-nodes-and-pods",), {f"node/node*.{column}": value for column, value in wide.items()}),
        Difference(NODES, ("get-node",), {
            "metadata.annotations.kwok.x-k8s.io/node": ABSENT, "metadata.labels.beta.kubernetes.io/*": ABSENT,
            "metadata.labels.type": ABSENT, "status.daemonEndpoints.kubeletEndpoint.Port": 10250,
            "status.images.1.names.1": "registry.k8s.io/pause:3.10", "status.images.1.sizeBytes": 320368,
            **{f"status.{part}.{name}": amount for part in ("capacity", "allocatable") for name, amount in MACHINE.items()},
            **status, **{f"status.nodeInfo.{key}": value for key, value in info.items()}}),
        Difference(NODES, ("describe-node",), {
            "Annotations": "<none>", "Lease.HolderIdentity": "node1",
            **{f"{part}.{name}": amount for part in ("Capacity", "Allocatable") for name, amount in MACHINE.items()},
            **described, **{f"System Info.{key}": value for key, value in system.items()}}),
    ]


def _pods():
    container = "items.*.status.containerStatuses.1."
    scheduled = "items.*.status.conditions[PodScheduled]."
    return [
        Difference(PODS, ("get-pods",), {
            container + "containerID": Shape(f"containerd://{DIGEST}"),
            container + "imageID": Shape(rf"registry\.example/web:1@sha256:{DIGEST}"),
            scheduled + "type": "PodScheduled", scheduled + "status": "True", scheduled + "lastTransitionTime": "TIME",
            "items.*.status.observedGeneration": 1}),
        Difference(PODS, ("describe-pod",), {
            "Containers.single.Container ID": Shape(f"containerd://{DIGEST}"),
            "Containers.single.Image ID": Shape(rf"registry\.example/single:1@sha256:{DIGEST}"),
            "Conditions.PodScheduled.Status": "True"}),
    ]


DIFFERENCES = [
    *_nodes(), *_pods(),
]

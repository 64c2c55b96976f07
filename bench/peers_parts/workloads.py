"""The workloads: the nodes, the existing pods, and the pods to place.

The shapes are those of Kubernetes' own scheduler_perf: nodes of 4 CPUs, pods of 100m and 500Mi, and so on.
"""

import dataclasses

ZONES = 3
ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
LABELS = {"app": "web", "pod-template-hash": "7d4b9c6f5d"}
LOW, HIGH = "bench-low", "bench-high"
PRIORITIES = {LOW: 1, HIGH: 1000}
MEASURED = "bench=measured"


def node(now):
    resources = {"cpu": "4", "memory": "32Gi", "pods": "110", "ephemeral-storage": "100Gi"}
    healthy = {"Ready": "True", "MemoryPressure": "False", "DiskPressure": "False", "PIDPressure": "False"}
    return {
        "metadata": {"labels": {"kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
                                "topology.kubernetes.io/region": "bench"}},
        "status": {
            "capacity": resources, "allocatable": resources,
            "conditions": [{"type": kind, "status": status, "reason": "Bench", "message": "stays so",
                            "lastHeartbeatTime": now, "lastTransitionTime": now} for kind, status in healthy.items()],
            "nodeInfo": {"kubeletVersion": "v1.36.4", "operatingSystem": "linux", "architecture": "amd64",
                         "containerRuntimeVersion": "", "osImage": "", "kernelVersion": "", "kubeProxyVersion": "",
                         "machineID": "", "systemUUID": "", "bootID": ""},
        },
    }


def pod(*, cpu="100m", memory="500Mi", **spec):
    return {
        "metadata": {"labels": dict(LABELS)},
        "spec": {
            "containers": [{"name": "main", "image": "registry.example/web:1.2.3",
                            "ports": [{"containerPort": 8080, "name": "http"}],
                            "resources": {"requests": {"cpu": cpu, "memory": memory}}}],
            # There is no kubelet that would end a pod gracefully.
            "terminationGracePeriodSeconds": 0,
            **spec,
        },
    }


def pod_affinity(topology_key, **kind):
    return {"topologyKey": topology_key, "labelSelector": {"matchLabels": {"app": LABELS["app"]}}, **kind}


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    pod: dict  # the model of the measured pods
    pods: int  # default number
    present: dict  # the model of the existing pods, which are spread over the nodes
    present_per_node: int = 1
    most_per_node: float = 20  # upper bound of the measured pods
    churn: bool = False
    from_start: bool = False  # measure from the start, not from the first binding


def _all():
    plain = pod()
    spread = pod(topologySpreadConstraints=[{
        "maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": LABELS["app"]}}}])
    apart = pod(affinity={"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
        {"weight": 1, "podAffinityTerm": pod_affinity(HOST)}]}})
    together = pod(affinity={"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [pod_affinity(ZONE)]}})
    zoned = pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["zone-0", "zone-1"]}]}]}}})
    return [
        Workload("plain", plain, 5000, plain),
        Workload("hard zone spread", spread, 2000, spread),
        Workload("preferred anti-affinity", apart, 2000, apart),
        Workload("pod affinity", together, 2000, together),
        Workload("node affinity", zoned, 5000, plain),
        Workload("mixed churn", plain, 5000, plain, churn=True),
        # Four pods on each node. A new pod preempts three, and no node has room for two new pods. Victims are deleted
        # before the first binding, so the measurement begins at the start.
        Workload("preemption", pod(cpu="3", priorityClassName=HIGH), 500, pod(cpu="900m", priorityClassName=LOW),
                 present_per_node=4, most_per_node=0.5, from_start=True),
    ]


WORKLOADS = {workload.name.replace(" ", "-"): workload for workload in _all()}


def named(model, scheduler):
    """The model of the measured pods for one scheduler."""
    labels = model["metadata"]["labels"] | {"bench": "measured"}
    return {"metadata": {"labels": labels}, "spec": model["spec"] | {"schedulerName": scheduler}}


def churned(number, scheduler, now):
    """Created and deleted once a second: a node, a service, and a pod that fits nowhere and has the highest priority."""
    name = f"churn-{number}"
    fresh = node(now)
    fresh["metadata"] |= {"name": name, "labels": fresh["metadata"]["labels"] | {HOST: name, ZONE: "zone-0"}}
    large = pod(cpu="9", priorityClassName=HIGH, schedulerName=scheduler)
    large["metadata"] = {"name": name, "labels": {"app": "churn"}}
    service = {"metadata": {"name": name}, "spec": {"selector": {"app": "churn"}, "ports": [{"port": 80}]}}
    return {"/api/v1/nodes": fresh, "/api/v1/namespaces/default/pods": large,
            "/api/v1/namespaces/default/services": service}

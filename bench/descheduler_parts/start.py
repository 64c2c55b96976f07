"""The uneven start: pods of fifty ReplicaSets, on the same nodes every time.

The pods are created on their nodes first, and their ReplicaSets adopt them afterwards, so that no scheduler is involved.
"""

import concurrent.futures
import json
import math
import time

from repeatable.failed import Failed

CPU, MEMORY = "8", "32Gi"  # of a node
NODE_MILLI, NODE_MIB = 8000, 32 * 1024
WORKLOADS = 50
PODS = "/api/v1/namespaces/default/pods"
SETS = "/apis/apps/v1/namespaces/default/replicasets"
SECONDS_TO_SETTLE = 600
# Three nodes of ten are nearly full, three are at the target, four are nearly empty: requested CPU in percent.
FULLNESS = (85, 85, 85, 40, 40, 40, 10, 10, 10, 10)


def size(workload):
    """Milli-cores and MiB: from a sixteenth to a sixth of a node, some with much memory and some with little."""
    milli = (500, 700, 900, 1100, 1300)[workload % 5]
    return milli, milli * (2, 3, 4, 5)[workload % 4]


def template(workload, scheduler):
    milli, mib = size(workload)
    return {
        "metadata": {"labels": {"app": f"w{workload:02}"}},
        "spec": {
            "schedulerName": scheduler,
            "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "main", "image": "registry.example/web:1.2.3",
                            "resources": {"requests": {"cpu": f"{milli}m", "memory": f"{mib}Mi"}}}],
        },
    }


def placed(nodes):
    """Pairs of workload and number of the node, one for each pod."""
    pods, workload = [], 0
    for node in range(nodes):
        wanted, has = FULLNESS[node % len(FULLNESS)] / 100 * NODE_MILLI, 0
        while has < wanted:
            pods.append((workload, node))
            has += size(workload)[0]
            workload = (workload + 1) % WORKLOADS
    return pods


def make(plane, nodes, scheduler):
    pods = placed(nodes)

    def create(numbered):
        number, (workload, node) = numbered
        pod = template(workload, scheduler)
        pod["metadata"]["name"] = f"w{workload:02}-{number}"
        pod["spec"]["nodeName"] = f"kwok-{node}"
        plane.request("POST", PODS, pod)

    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(create, enumerate(pods)))
    for workload in range(WORKLOADS):
        labels = {"app": f"w{workload:02}"}
        plane.request("POST", SETS, {"metadata": {"name": f"w{workload:02}"}, "spec": {
            "replicas": sum(1 for one, _ in pods if one == workload), "selector": {"matchLabels": labels},
            "template": template(workload, scheduler)}})
    wait(plane, lambda sets: all(one["status"].get("readyReplicas") == one["spec"]["replicas"] for one in sets),
         "the pods of the start were not ready in time")


def wait(plane, holds, problem):
    deadline = time.monotonic() + SECONDS_TO_SETTLE
    while not holds(json.loads(plane.request("GET", SETS))["items"]):
        if time.monotonic() > deadline:
            raise Failed(problem)
        time.sleep(1)


def clear(plane):
    plane.request("DELETE", SETS, {"propagationPolicy": "Background"})
    wait(plane, lambda sets: not sets, "the ReplicaSets did not go")
    deadline = time.monotonic() + SECONDS_TO_SETTLE
    while json.loads(plane.request("GET", PODS + "?limit=1"))["items"]:
        if time.monotonic() > deadline:
            raise Failed("the pods did not go")
        plane.request("DELETE", PODS, {"gracePeriodSeconds": 0})
        time.sleep(1)
    for configmap in ("rescheduler-moves",):  # our record of moves: every contender starts without history
        plane.request("DELETE", f"/api/v1/namespaces/kube-system/configmaps/{configmap}", absent_is_fine=True)


def shares(plane):
    """Deviation and maximum of the requests of the nodes, in percent, and the number of pods without a node."""
    asked = {node["metadata"]["name"]: [0, 0] for node in json.loads(plane.request("GET", "/api/v1/nodes"))["items"]}
    pods = json.loads(plane.request("GET", PODS))["items"]
    waiting = 0
    for pod in pods:
        node = pod["spec"].get("nodeName")
        if not node:
            waiting += 1
            continue
        milli, mib = size(int(pod["metadata"]["labels"]["app"][1:]))
        asked[node][0] += 100 * milli / NODE_MILLI
        asked[node][1] += 100 * mib / NODE_MIB

    def spread(values):
        mean = sum(values) / len(values)
        return [round(math.sqrt(sum((value - mean) ** 2 for value in values) / len(values)), 1), round(max(values), 1)]

    return {"pods": len(pods), "waiting": waiting,
            "spread": {"cpu": spread([one[0] for one in asked.values()]),
                       "memory": spread([one[1] for one in asked.values()])}}

"""The nodes that KWOK simulates."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone

from .components import admin_client
from .errors import RigError
from .http import Client
from .pins import kubernetes_version
from .state import Rig

CONNECTIONS = 8
ZONES = 3


def conditions() -> list[dict]:
    """The conditions of a healthy node, set at creation: KWOK would set the same with another write for each node."""
    now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    healthy = {"Ready": "True", "MemoryPressure": "False", "DiskPressure": "False", "PIDPressure": "False"}
    return [
        {
            "type": kind, "status": status, "reason": "FakeNode", "message": "played by KWOK",
            "lastHeartbeatTime": now, "lastTransitionTime": now,
        }
        for kind, status in healthy.items()
    ]


def node_info() -> dict:
    """The nodeInfo of a kubelet of the pinned version; the empty fields are required."""
    return {
        "kubeletVersion": kubernetes_version(), "containerRuntimeVersion": "kwok://0", "osImage": "kwok",
        "operatingSystem": "linux", "architecture": "amd64", "kernelVersion": "", "kubeProxyVersion": "",
        "machineID": "", "systemUUID": "", "bootID": "",
    }


def node(index: int, *, cpu: str, memory: str, pods: int) -> dict:
    name = f"kwok-{index}"
    number = index + 1
    address = f"10.{128 + (number >> 16)}.{number >> 8 & 255}.{number & 255}"  # nothing listens at this address
    resources = {"cpu": cpu, "memory": memory, "pods": str(pods), "ephemeral-storage": "1Ti"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {
                "kubernetes.io/hostname": name,
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/os": "linux",
                # A controller would add these two labels, with one write for each node.
                "beta.kubernetes.io/arch": "amd64",
                "beta.kubernetes.io/os": "linux",
                "topology.kubernetes.io/region": "rig",
                "topology.kubernetes.io/zone": f"zone-{index % ZONES}",
                "type": "kwok",
            },
            "annotations": {"kwok.x-k8s.io/node": "fake"},
        },
        "status": {
            "capacity": resources,
            "allocatable": resources,
            "addresses": [{"type": "InternalIP", "address": address}, {"type": "Hostname", "address": name}],
            "nodeInfo": node_info(),
            "conditions": conditions(),
        },
    }


def create(rig: Rig, *, cpu: str, memory: str, pods: int) -> None:
    given_up = threading.Event()

    def create_share(first: int) -> None:
        with admin_client(rig) as client:
            for index in range(first, rig.nodes, CONNECTIONS):
                if given_up.is_set():
                    return
                client.post("/api/v1/nodes", node(index, cpu=cpu, memory=memory, pods=pods))

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        try:
            list(pool.map(create_share, range(min(CONNECTIONS, rig.nodes))))
        except BaseException:
            given_up.set()  # otherwise leaving the pool would wait for all remaining work
            raise


def wait_usable(rig: Rig, deadline: float) -> None:
    """Waits until every node is Ready and, if a controller removes it, without the not-ready taint."""
    tainted_matters = "kube-controller-manager" in rig.components
    usable = 0
    with admin_client(rig) as client:
        while time.monotonic() < deadline:
            asked = time.monotonic()
            usable = _count_usable(client, tainted_matters)
            if usable >= rig.nodes:
                return
            # Listing thousands of nodes is expensive, so polling may take at most a quarter of the time.
            time.sleep(max(0.05, 3 * (time.monotonic() - asked)))
    raise RigError(f"only {usable} of {rig.nodes} fake nodes became ready in time")


def _count_usable(client: Client, tainted_matters: bool) -> int:
    def is_usable(item: dict) -> bool:
        ready = any(c["type"] == "Ready" and c["status"] == "True" for c in item["status"].get("conditions", []))
        return ready and not (tainted_matters and item["spec"].get("taints"))

    return sum(map(is_usable, client.get("/api/v1/nodes?resourceVersion=0")["items"]))

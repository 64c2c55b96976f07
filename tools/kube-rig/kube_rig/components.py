"""The components of a control plane: how each is started, and how it reports that it is ready.

Flags of the user come last: in Kubernetes and etcd the last of two equal flags takes effect.
"""

import math
from pathlib import Path

from .errors import EXIT_USAGE, RigError
from .http import Client
from .state import Rig

START_ORDER = ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"]
DEFAULT_COMPONENTS = ["etcd", "kube-apiserver", "kube-controller-manager", "kwok"]
NEEDS = {
    "kube-apiserver": "etcd",
    "kube-controller-manager": "kube-apiserver",
    "kube-scheduler": "kube-apiserver",
    "kwok": "kube-apiserver",
}
STAGES = Path(__file__).with_name("kwok_stages.yaml")
DEAD = "kube-rig/dead"  # KWOK ignores a node with this label: its lease expires, its pods never terminate
RATE = "100000"  # client-side requests per second: tests never wait for this limit


def choose(wanted: list[str]) -> list[str]:
    """Checks a list of components and sorts it by start order."""
    for name in wanted:
        if name not in START_ORDER:
            raise RigError(f"there is no component {name!r}; there are {', '.join(START_ORDER)}", exit_code=EXIT_USAGE)
    for name in wanted:
        if NEEDS.get(name) and NEEDS[name] not in wanted:
            raise RigError(f"{name} needs {NEEDS[name]}, which --with does not name", exit_code=EXIT_USAGE)
    return [name for name in START_ORDER if name in wanted]


def port_names(components: list[str]) -> list[str]:
    return components + (["etcd-peer"] if "etcd" in components else [])


def argv(rig: Rig, component: str) -> list[str]:
    build = {
        "etcd": _etcd,
        "kube-apiserver": _apiserver,
        "kube-controller-manager": _controller_manager,
        "kube-scheduler": _scheduler,
        "kwok": _kwok,
    }[component]
    return [f"{rig.bin_dir}/{component}", *build(rig), *rig.extra_args.get(component, [])]


def probe(rig: Rig, component: str) -> bool:
    port = rig.ports[component]
    if component == "etcd":
        client, path = Client(rig.etcd_url), "/health"
    elif component == "kube-apiserver":
        client, path = admin_client(rig), "/readyz"
    elif component == "kwok":
        client, path = Client(f"http://127.0.0.1:{port}"), "/healthz"
    else:
        client, path = Client(f"https://127.0.0.1:{port}", ca=rig.certs / "ca.crt"), "/healthz"
    with client:
        return client.is_ok(path)


def admin_client(rig: Rig) -> Client:
    return Client(
        rig.server, ca=rig.certs / "ca.crt", certificate=rig.certs / "admin.crt", key=rig.certs / "admin.key"
    )


def lease_seconds(nodes: int) -> int:
    """The lease duration of a fake node; KWOK renews the lease four times in that time.

    Forty seconds as for a kubelet, but longer for many nodes, so that there are fewer than fifty renewals a
    second: five thousand nodes at the usual rate would keep the API server busy with renewals alone.
    """
    return max(40, math.ceil(nodes / 50) * 4)


def _keeps_nodes_alive(rig: Rig) -> bool:
    """Whether node conditions are maintained: KWOK reports them and a controller acts on them."""
    return "kwok" in rig.components and "kube-controller-manager" in rig.components


def _etcd(rig: Rig) -> list[str]:
    client, peer = rig.etcd_url, f"http://127.0.0.1:{rig.ports['etcd-peer']}"
    return [
        f"--name={rig.name}",
        f"--data-dir={rig.path}/data/etcd",
        f"--listen-client-urls={client}",
        f"--advertise-client-urls={client}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster={rig.name}={peer}",
        "--unsafe-no-fsync",  # the data is not needed after a crash of the machine
        "--quota-backend-bytes=8589934592",
        "--max-request-bytes=10485760",
        "--log-level=warn",
    ]


def _apiserver(rig: Rig) -> list[str]:
    certs = rig.certs
    # These admission plugins depend on a controller. Without it they would refuse or taint everything.
    disabled = []
    if "kube-controller-manager" not in rig.components:
        disabled.append("ServiceAccount")  # no controller creates the `default` account that pods need
    if not _keeps_nodes_alive(rig):
        disabled.append("TaintNodesByCondition")  # no controller would remove its not-ready taint
    return [
        f"--etcd-servers={rig.etcd_url}",
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        f"--secure-port={rig.ports['kube-apiserver']}",
        f"--cert-dir={rig.path}/data",
        f"--tls-cert-file={certs}/serving.crt",
        f"--tls-private-key-file={certs}/serving.key",
        f"--client-ca-file={certs}/ca.crt",
        f"--requestheader-client-ca-file={certs}/front-proxy-ca.crt",
        "--requestheader-allowed-names=front-proxy-client",
        "--requestheader-username-headers=X-Remote-User",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        f"--proxy-client-cert-file={certs}/front-proxy-client.crt",
        f"--proxy-client-key-file={certs}/front-proxy-client.key",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={certs}/service-account.pub",
        f"--service-account-signing-key-file={certs}/service-account.key",
        "--service-cluster-ip-range=10.96.0.0/16",
        "--authorization-mode=Node,RBAC",
        "--allow-privileged=true",
        "--endpoint-reconciler-type=none",  # a loopback address is not a valid endpoint
        "--max-requests-inflight=10000",
        "--max-mutating-requests-inflight=5000",
        "--watch-cache=true",
        *([f"--disable-admission-plugins={','.join(disabled)}"] if disabled else []),
    ]


def _controller_manager(rig: Rig) -> list[str]:
    certs = rig.certs
    # This controller tells kubelets how long to cache secrets. The rig has no kubelets, and the controller writes to
    # every node whenever the number of nodes passes a threshold.
    disabled = ["ttl-controller"]
    if not _keeps_nodes_alive(rig):
        disabled += ["node-lifecycle-controller", "taint-eviction-controller"]
    return [
        *_client_flags(rig, "kube-controller-manager"),
        *_serving_flags(rig, "kube-controller-manager"),
        "--use-service-account-credentials=true",
        f"--root-ca-file={certs}/ca.crt",
        f"--service-account-private-key-file={certs}/service-account.key",
        f"--cluster-signing-cert-file={certs}/ca.crt",
        f"--cluster-signing-key-file={certs}/ca.key",
        f"--controllers=*,{','.join(f'-{name}' for name in disabled)}",
        # Ten seconds more than the lease duration, as in Kubernetes' defaults.
        f"--node-monitor-grace-period={lease_seconds(rig.nodes) + 10}s",
    ]


def _scheduler(rig: Rig) -> list[str]:
    return [*_client_flags(rig, "kube-scheduler"), *_serving_flags(rig, "kube-scheduler")]


def _client_flags(rig: Rig, component: str) -> list[str]:
    kubeconfig = f"{rig.certs}/{component}.kubeconfig"
    return [
        f"--kubeconfig={kubeconfig}",
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        "--leader-elect=false",
        f"--kube-api-qps={RATE}",
        f"--kube-api-burst={RATE}",
    ]


def _serving_flags(rig: Rig, component: str) -> list[str]:
    return [
        "--bind-address=127.0.0.1",
        f"--secure-port={rig.ports[component]}",
        f"--tls-cert-file={rig.certs}/serving.crt",
        f"--tls-private-key-file={rig.certs}/serving.key",
    ]


def _kwok(rig: Rig) -> list[str]:
    return [
        f"--kubeconfig={rig.certs}/kwok.kubeconfig",
        f"--config={STAGES}",
        f"--manage-nodes-with-label-selector=!{DEAD}",
        "--v=WARN",  # without this it logs every lease renewal
        "--cidr=10.0.0.0/10",  # addresses for four million pods
        f"--node-lease-duration-seconds={lease_seconds(rig.nodes)}",
        f"--server-address=127.0.0.1:{rig.ports['kwok']}",
    ]

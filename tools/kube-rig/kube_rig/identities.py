"""The identities of a rig: its authority, its serving certificate and one client certificate for each component."""

from pathlib import Path

from . import certs, kubeconfig
from .http import Client
from .state import Rig

KWOK_USER = "kwok-controller"
# The permissions of KWOK: it watches nodes and pods, writes their status, renews leases and deletes finished pods.
KWOK_RULES = [
    {"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "list", "watch", "patch"]},
    {"apiGroups": [""], "resources": ["nodes/status", "pods/status"], "verbs": ["update", "patch"]},
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "watch", "update", "patch", "delete"]},
    {"apiGroups": [""], "resources": ["events"], "verbs": ["create", "update", "patch"]},
    {
        "apiGroups": ["coordination.k8s.io"],
        "resources": ["leases"],
        "verbs": ["get", "list", "watch", "create", "update", "patch", "delete"],
    },
]
COMPONENT_USERS = {
    "kube-controller-manager": "system:kube-controller-manager",
    "kube-scheduler": "system:kube-scheduler",
    "kwok": KWOK_USER,
}


def create(rig: Rig) -> None:
    """Makes all files that the components read from certs/, and the administrator's kubeconfig."""
    folder, authority = rig.certs, rig.certs / "ca"
    certs.new_authority(folder, "ca", f"kube-rig {rig.name}")
    certs.new_certificate(
        folder, "serving", user="kube-rig-serving", authority=authority, extensions=certs.SERVING_EXTENSIONS
    )
    # Aggregated API servers trust only the front proxy's authority, as on a real cluster.
    certs.new_authority(folder, "front-proxy-ca", f"kube-rig {rig.name} front proxy")
    certs.new_certificate(
        folder, "front-proxy-client", user="front-proxy-client", authority=folder / "front-proxy-ca"
    )
    certs.new_key(folder / "service-account.key")
    certs.public_half(folder / "service-account.key", folder / "service-account.pub")

    mint(rig, folder, name="admin", user="rig-admin", groups=["system:masters"], target=rig.kubeconfig)
    for component, user in COMPONENT_USERS.items():
        if component in rig.components:
            mint(rig, folder, name=component, user=user, target=folder / f"{component}.kubeconfig")


def mint(
    rig: Rig, folder: Path, *, name: str, user: str, target: Path, groups: list[str] = (),
    days: int = certs.VALID_DAYS, expired: bool = False,
) -> None:
    """A client certificate signed by the rig's authority, and a kubeconfig that uses it."""
    certs.new_certificate(
        folder, name, user=user, groups=groups, authority=rig.certs / "ca", days=days, expired=expired
    )
    kubeconfig.write(
        target, server=rig.server, ca=rig.certs / "ca.crt",
        certificate=folder / f"{name}.crt", key=folder / f"{name}.key", user=user,
    )


def grant_kwok(client: Client) -> None:
    group = "rbac.authorization.k8s.io"
    name = {"name": KWOK_USER}
    client.post(
        f"/apis/{group}/v1/clusterroles",
        {"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": name, "rules": KWOK_RULES},
    )
    client.post(
        f"/apis/{group}/v1/clusterrolebindings",
        {
            "apiVersion": f"{group}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": name,
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": KWOK_USER},
            "subjects": [{"apiGroup": group, "kind": "User", "name": KWOK_USER}],
        },
    )

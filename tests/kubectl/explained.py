"""Known differences between the embedded cluster and the real control plane, with reasons.

docs/embedded-cluster.md has the same list in prose. recorded/ has the values of the real one; this file has the values that
the embedded cluster gives instead. An explanation without a difference fails.
"""

from dataclasses import dataclass

from expect import ABSENT, Shape


@dataclass
class Difference:
    why: str
    steps: tuple  # names of steps
    embedded: dict  # {path: the value on the embedded cluster}; * in a path stands for any text
    kubectl: str = ""  # "old" or "current": only with that one


UID = Shape(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DIGEST = "[0-9a-f]{64}"
VERSION = "v1.36.4-embedded"
# reason and message of the conditions that the embedded kubelets report
CONDITIONS = {
    "Ready": ("KubeletReady", "kubelet is posting ready status"),
    "MemoryPressure": ("KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    "DiskPressure": ("KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    "PIDPressure": ("KubeletHasSufficientPID", "kubelet has sufficient PID available"),
}
MACHINE = {"cpu": "8", "memory": "32Gi", "ephemeral-storage": "100Gi"}

NODES = "the nodes of the embedded cluster have another size, other zones and another kubelet than the KWOK nodes"
PODS = "KWOK runs no containers: no IDs of containers and images, no events, no PodScheduled for pods that name their node"
EMPTY = "fields that Go writes although they are empty are left out"
ACCOUNTS = "no accounts: no default ServiceAccount, no token in pods, no kube-root-ca.crt"
ENDPOINTS = "no endpoints: a Service has no addresses"
METRICS = "metrics.k8s.io is served; the real control plane has no metrics-server"
OWNERS = ("the owners of fields are tracked from the first server-side apply on; until then there are no managedFields, and all "
          "fields count as owned by before-first-apply")
UNKNOWN = "no warnings: an unknown field in a patch is dropped silently"
WORDS = "errors about invalid text have a different wording"
OBJECTS = "the error for a forbidden change of a pod names the field and does not print both objects"
OPENAPI = ("the old kubectl checks objects by itself against OpenAPI version 2, which has no fields here: the server finds "
           "the errors, and unknown fields are dropped")
NOTHING_FOUND = "No resources found in person namespace."


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
    labels = ("kubernetes.io/arch=amd64", "kubernetes.io/hostname=node1", "kubernetes.io/os=linux",
              "sim.rescheduler.io/group=node", "topology.kubernetes.io/zone=zone-a", ABSENT, ABSENT, ABSENT)
    return [
        Difference(NODES, ("get-nodes", "cordoned", "drain-held-nodes", "drained"), {"node*.VERSION": VERSION}),
        Difference(NODES, ("get-nodes-wide",), {f"node*.{column}": value for column, value in wide.items()}),
        Difference(NODES, ("get-nodes-and-pods",), {f"node/node*.{column}": value for column, value in wide.items()}),
        Difference(NODES, ("get-node",), {
            "metadata.annotations.kwok.x-k8s.io/node": ABSENT, "metadata.labels.beta.kubernetes.io/arch": ABSENT,
            "metadata.labels.beta.kubernetes.io/os": ABSENT, "metadata.labels.type": ABSENT,
            "metadata.labels.topology.kubernetes.io/region": ABSENT, "metadata.labels.topology.kubernetes.io/zone": "zone-a",
            "metadata.labels.sim.rescheduler.io/group": "node", "status.daemonEndpoints.kubeletEndpoint.Port": 10250,
            "status.images.1.names.1": "registry.k8s.io/pause:3.10", "status.images.1.sizeBytes": 320368,
            **{f"status.{part}.{name}": amount for part in ("capacity", "allocatable") for name, amount in MACHINE.items()},
            **status, **{f"status.nodeInfo.{key}": value for key, value in info.items()}}),
        Difference(EMPTY, ("get-node",), {"status.nodeInfo.kubeProxyVersion": ABSENT}),
        Difference(NODES, ("describe-node",), {
            "Annotations": "<none>", "Lease.HolderIdentity": "node1",
            "Conditions.order": "MemoryPressure, DiskPressure, PIDPressure, Ready",
            **{f"Labels.{place}": label for place, label in enumerate(labels, 1)},
            **{f"{part}.{name}": amount for part in ("Capacity", "Allocatable") for name, amount in MACHINE.items()},
            **described, **{f"System Info.{key}": value for key, value in system.items()}}),
    ]


def _pods():
    container = "items.*.status.containerStatuses.1."
    scheduled = "items.*.status.conditions[PodScheduled]."
    events = {"Pulled": 'Container image "registry.example/single:1" already present on machine',
              "Created": "Container created", "Started": "Container started"}
    return [
        Difference(NODES, ("get-pods",), {"items.*.metadata.labels.topology.kubernetes.io/region": ABSENT,
                                          "items.*.metadata.labels.topology.kubernetes.io/zone": "zone-a"}),
        Difference(PODS, ("get-pods",), {
            container + "containerID": Shape(f"containerd://{DIGEST}"),
            container + "imageID": Shape(rf"registry\.example/web:1@sha256:{DIGEST}"),
            scheduled + "type": "PodScheduled", scheduled + "status": "True", scheduled + "lastTransitionTime": "TIME",
            "items.*.status.observedGeneration": 1}),
        Difference(EMPTY, ("get-pods",), {
            f"items.*.status.conditions[{condition}].lastProbeTime": ABSENT
            for condition in ("PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready")}),
        Difference(EMPTY, ("get-budget",), {"status.conditions[DisruptionAllowed].message": ABSENT}),
        Difference(EMPTY, ("events-new",), {"items.*.eventTime": ABSENT}),
        Difference(NODES, ("describe-pod",), {"Labels.2": "topology.kubernetes.io/zone=zone-b", "Labels.3": ABSENT}),
        Difference(PODS, ("describe-pod",), {
            "Containers.single.Container ID": Shape(f"containerd://{DIGEST}"),
            "Containers.single.Image ID": Shape(rf"registry\.example/single:1@sha256:{DIGEST}"),
            "Conditions.order": "PodReadyToStartContainers, Initialized, Ready, ContainersReady, PodScheduled",
            "Conditions.PodScheduled.Status": "True", "Events": ABSENT, "Events.order": ", ".join(events),
            **{f"Events.{reason}.{column}": value for reason in events for column, value in
               {"Type": "Normal", "Age": Shape(r"\d+s"), "From": "kubelet"}.items()}}),
        *(Difference(PODS, ("describe-pod",), {f"Events.{reason}.Message": prefix + text for reason, text in events.items()},
                     kubectl) for kubectl, prefix in (("old", ""), ("current", "spec.containers{single}: "))),
    ]


def _accounts():
    volume, described = "items.*.spec.volumes.1.", "Volumes.kube-api-access-SUFFIX."
    projected = volume + "projected.sources."
    return [
        Difference(ACCOUNTS, ("accounts",), {"columns.1": ABSENT, "order": ABSENT, "default.AGE": ABSENT, "err.1": NOTHING_FOUND}),
        Difference(ACCOUNTS, ("get-pods",), {path: ABSENT for path in (
            *(f"items.*.spec.containers.1.volumeMounts.1.{field}" for field in ("mountPath", "name", "readOnly")),
            volume + "name", volume + "projected.defaultMode",
            *(f"{projected}1.serviceAccountToken.{field}" for field in ("expirationSeconds", "path")),
            *(f"{projected}2.configMap.{field}" for field in ("name", "items.1.key", "items.1.path")),
            *(f"{projected}3.downwardAPI.items.1.{field}" for field in ("path", "fieldRef.apiVersion", "fieldRef.fieldPath")))}),
        Difference(ACCOUNTS, ("describe-pod",), {
            "Containers.single.Mounts.lines.1": ABSENT, "Containers.single.Mounts": "<none>", "Volumes": "<none>",
            **{described + key: ABSENT for key in ("Type", "TokenExpirationSeconds", "ConfigMapName", "DownwardAPI")}}),
        Difference(ACCOUNTS, ("describe-pod",), {described + "ConfigMapOptional": ABSENT}, "old"),
        Difference(ACCOUNTS, ("describe-pod",), {described + "Optional": ABSENT}, "current"),
        Difference(ACCOUNTS, ("get-maps",), {
            "order": "configmap/settings, secret/hidden, service/single, service/web",
            "configmap/kube-root-ca.crt.DATA": ABSENT, "configmap/kube-root-ca.crt.AGE": ABSENT}),
        Difference(ACCOUNTS, ("delete-many",), {
            "out.1": 'configmap "settings" deleted from person namespace',
            "out.2": 'secret "hidden" deleted from person namespace', "out.3": ABSENT}, "current"),
    ]


def _missing():
    resources = """
        configmaps v1, events v1, namespaces v1, nodes v1, persistentvolumeclaims v1, persistentvolumes v1, pods v1,
        replicationcontrollers v1, secrets v1, serviceaccounts v1, services v1,
        mutatingwebhookconfigurations admissionregistration.k8s.io/v1, customresourcedefinitions apiextensions.k8s.io/v1,
        controllerrevisions apps/v1, daemonsets apps/v1, deployments apps/v1, replicasets apps/v1, statefulsets apps/v1,
        horizontalpodautoscalers autoscaling/v2, cronjobs batch/v1, jobs batch/v1, leases coordination.k8s.io/v1,
        endpointslices discovery.k8s.io/v1, events events.k8s.io/v1, nodes metrics.k8s.io/v1beta1,
        pods metrics.k8s.io/v1beta1, poddisruptionbudgets policy/v1, clusterrolebindings rbac.authorization.k8s.io/v1,
        clusterroles rbac.authorization.k8s.io/v1, rolebindings rbac.authorization.k8s.io/v1,
        roles rbac.authorization.k8s.io/v1, priorityclasses scheduling.k8s.io/v1, csinodes storage.k8s.io/v1,
        storageclasses storage.k8s.io/v1"""
    measured = {"nodes": ("false", "NodeMetrics"), "pods": ("true", "PodMetrics")}
    return [
        Difference(METRICS, ("api-resources",), {
            "order": " ".join(resources.split()),
            **{f"{name} metrics.k8s.io/v1beta1.{column}": value for name, (namespaced, kind) in measured.items()
               for column, value in {"SHORTNAMES": "", "NAMESPACED": namespaced, "KIND": kind}.items()}}),
        Difference(ENDPOINTS, ("slices",), {"columns.1": ABSENT, "order": ABSENT, "err.1": NOTHING_FOUND, **{
            f"web-SUFFIX.{column}": ABSENT for column in ("ADDRESSTYPE", "PORTS", "ENDPOINTS", "AGE")}}),
        Difference(ENDPOINTS, ("describe-service",), {"Endpoints": "<none>"}),
        Difference(ENDPOINTS, ("describe-service",), {"err.1": ABSENT}, "old"),
        *(Difference(OWNERS, ("fields",), {f"metadata.managedFields[{manager}].*": ABSENT}, "current")
          for manager in ("kubectl-client-side-apply Update", "kube-controller-manager Update status")),
        Difference(OWNERS, ("crd-server-side",), {
            "err.1": 'error: Apply failed with 1 conflict: conflict with "before-first-apply" using example.io/v1: .spec.stops'}),
    ]


def _messages():
    return [
        Difference(UNKNOWN, ("crd-pruned",), {"err.1": ABSENT}),
        Difference(WORDS, ("patch-broken",), {"err.1": (
            "Error from server (BadRequest): error decoding patch: line 1, column 9: the JSON text ends too early")}),
        Difference(WORDS, ("bad-selector",), {"err.1": (
            'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "a in b", field '
            'selector "": unable to parse requirement: label selector "a in b": at byte 5: found "b", expected \'(\'')}),
        Difference(OBJECTS, ("move-pod",), {"err.2": "changed: nodeName", **{f"err.{line}": ABSENT for line in range(3, 11)}}),
        Difference(OPENAPI, ("crd-invalid",), {
            "err.1": 'The Trip "nowhere" is invalid:', "err.3": "* spec.to: Required value",
            "err.2": "* spec.seats: Invalid value: 0: spec.seats in body should be greater than or equal to 1"}, "old"),
        Difference(OPENAPI, ("misspelt",), {"err.1": ABSENT, "out.1": "configmap/misspelt created", "code": 0}, "old"),
        # In the place of kube-root-ca.crt, which the embedded cluster does not have.
        Difference(OPENAPI, ("delete-many",), {"out.1": 'configmap "misspelt" deleted'}, "old"),
    ]


DIFFERENCES = [*_nodes(), *_pods(), *_accounts(), *_missing(), *_messages()]

"""What a person does with kubectl, in order. {node1}, {node2}, ... are the cluster's nodes by name."""

import json
from dataclasses import dataclass


@dataclass
class Step:
    name: str  # what the transcript and the list of explained differences call it
    args: str  # of kubectl
    manifest: str = ""  # a file of manifests/, given as standard input
    code: int = 0  # the exit code expected; on the old kubectl old_code, if that is given
    old_code: int | None = None
    until: tuple = ()  # repeated until every one of these expressions is found in the output
    keep: tuple = ()  # only lines that match one of these, sorted and each once: for what comes in any order
    drop: tuple = ()  # without lines that match one of these: for what depends on who was quicker
    yaml: bool = False  # indentation and quantities matter
    owners: bool = False  # with metadata.managedFields
    only: str = ""  # "embedded" or "real": not run on the other
    kubectl: str = ""  # "current": the old one lacks it
    editor: str = ""  # KUBE_EDITOR
    unrecorded: bool = False  # run and checked, but not compared


@dataclass
class Watch:
    """kubectl in the background while other steps are done, then ended once `until` was seen."""

    name: str
    args: str
    during: list
    until: tuple
    keep: tuple
    drop: tuple = ()
    only: str = ""
    kubectl: str = ""


# Kinds that the product or this script uses; the real control plane serves more.
KINDS = (
    r"^(configmaps|events|namespaces|nodes|persistentvolumeclaims|persistentvolumes|pods|secrets|serviceaccounts|services)\s",
    r"^(replicationcontrollers|controllerrevisions|daemonsets|deployments|replicasets|statefulsets|jobs|cronjobs)\s",
    r"^(horizontalpodautoscalers|leases|poddisruptionbudgets|priorityclasses|storageclasses|csinodes|endpointslices)\s",
    r"^(customresourcedefinitions|mutatingwebhookconfigurations|roles|rolebindings|clusterroles|clusterrolebindings)\s",
)
# The data of an event that comes in any order: reason, object and message.
EVENTS = (r"ScalingReplicaSet(?!.*combined)", r"SuccessfulCreate", r"SuccessfulDelete", r"NodeSchedulable", r"NodeNotSchedulable")


def steps():
    return [*_looking(), *_deploying(), *_scaling(), *_labelling(), *_patching(), *_applying_server_side(), *_rollouts(),
            *_custom(), *_others(), *_nodes(), *_mistakes(), *_describing(), *_deleting()]


def _json(value):
    """As one word of a command line."""
    return "'" + json.dumps(value) + "'"


def _looking():
    return [
        Step("ready", "get --raw /readyz"),
        Step("api-resources", "api-resources", keep=KINDS),
        Step("may-i", "auth can-i create pods"),
        Step("get-nodes", "get nodes"),
        Step("get-nodes-wide", "get nodes -o wide"),
        Step("get-node-yaml", "get node {node1} -o yaml", yaml=True),
        Step("describe-node", "describe node {node1}",
             drop=("^Events", r"^  (Type  Reason|----  ------  ----  ----)", "RegisteredNode")),
        Step("create-namespace", "create namespace person"),
        Step("account", "get serviceaccounts", until=("default",), only="real"),
        Step("get-namespace", "get namespaces person default"),
        Step("get-nothing", "get pods"),
        Step("top-nodes", "top nodes", only="embedded", until=(r"{node1}\s+\d+m\s+\d+%\s+\d+Mi\s+\d+%",), unrecorded=True),
    ]


def _deploying():
    return [
        Step("dry-run", "apply --dry-run=server -f -", manifest="shop.yaml"),
        Step("apply", "apply -f -", manifest="shop.yaml"),
        Step("rollout", "rollout status deployment/web --timeout=60s", keep=("successfully",)),
        Step("apply-again", "apply -f -", manifest="shop.yaml", until=("deployment.apps/web unchanged",)),
        Step("get-all", "get deployments,replicasets,pods,services,poddisruptionbudgets",
             until=(r"web\s+3\s+N/A\s+0", r"(?s)(1/1\s+Running.*){3}")),
        Step("get-nodes-and-pods", "get nodes,pods -o wide"),
        Step("get-deployment-wide", "get deployment web -o wide"),
        Step("get-deployment-yaml", "get deployment web -o yaml", yaml=True, until=("observedGeneration: 1",)),
        Step("get-service-yaml", "get service web -o yaml", yaml=True),
        Step("get-budget-yaml", "get poddisruptionbudget web -o yaml", yaml=True, until=("expectedPods: 3",)),
        Step("get-pods-yaml", "get pods -l app=web -o yaml", yaml=True),
        Step("fields", "get deployment web -o yaml --show-managed-fields", yaml=True, owners=True, kubectl="current"),
        Step("names", "get pods -o name"),
        Step("paging", "get pods -o name --chunk-size=1"),
        Step("jsonpath", "get deployment web -o jsonpath={.spec.template.spec.containers[0].image}"),
        Step("columns", "get pods -o custom-columns=NAME:.metadata.name,PHASE:.status.phase"),
        Step("on-node", "get pods --field-selector spec.nodeName={node1} -o name"),
        Step("elsewhere", "get pods --field-selector spec.nodeName={node2} -o name"),
        Step("sorted", "get pods --sort-by=.metadata.creationTimestamp -o name"),
        Step("labels-shown", "get pods -L app --no-headers"),
        Step("slices", "get endpointslices", keep=("^NAME",)),
        Step("wait", "wait --for=condition=Available deployment/web --timeout=60s"),
        Step("wait-pods", "wait --for=condition=Ready pod -l app=web --timeout=60s"),
        Step("top-pods", "top pods", only="embedded", until=(r"web-\S+\s+\d+m\s+\d+Mi",), unrecorded=True),
    ]


def _scaling():
    return [
        Watch("watch", "get pods -w --no-headers", until=(r"(?s)(1/1\s+Running.*){4}", r"(0|1)/1\s+Terminating"),
              keep=(r"1/1\s+Running",),
              during=[
                  Step("scale-up", "scale deployment web --replicas=4"),
                  Step("scaled-up", "rollout status deployment/web --timeout=60s", keep=("successfully",)),
                  Step("scale-down", "scale deployment web --replicas=3"),
                  Step("scaled-down", "get deployment web", until=(r"web\s+3/3\s+3\s+3",)),
              ]),
        Watch("watch-yaml", "get deployment web -w -o name", until=("deployment.apps/web",), keep=("deployment",), during=[]),
        Step("scale-mistaken", "scale deployment web --replicas=2 --current-replicas=9", code=1),
        Step("scale-nothing", "scale deployment nothing --replicas=2", code=1),
        Step("scale-subresource", "get deployment web --subresource=scale", kubectl="current"),
        Step("scale-set", "scale replicaset --replicas=0 -l app=nothing", code=1),
    ]


def _labelling():
    return [
        # The one that was scaled away may take its time to go; it would be labelled with the others.
        Step("label-three", "get pods -l app=web -o name", until=(r"\A(pod/web-\S+\s*){3}\Z",), unrecorded=True),
        Step("label", "label pods -l app=web tier=gold", keep=("labeled",)),
        Step("label-twice", "label deployment web app=other", code=1),
        Step("label-over", "label deployment web app=web tier=gold --overwrite"),
        Step("label-off", "label deployment web tier-"),
        Step("label-bad", "label deployment web tier=not/allowed", code=1),
        Step("label-node", "label node {node2} disk=fast"),
        Step("label-list", "get pods -l tier=gold,app -o name"),
        Step("label-set", "get nodes -l disk -o name"),
        Step("label-node-off", "label node {node2} disk-"),
        Step("annotate", "annotate deployment web note=first"),
        Step("annotate-again", "annotate deployment web note=second", code=1),
        Step("annotate-over", "annotate deployment web note=second --overwrite"),
        Step("annotate-off", "annotate deployment web note-"),
        Step("edit", "edit deployment web", editor="sed -i s/brisk/calm/"),
        Step("edit-change", "edit deployment web", editor="sed -i -e 's/revisionHistoryLimit: 10/revisionHistoryLimit: 7/'"),
    ]


def _patching():
    env = {"spec": {"template": {"spec": {"containers": [{"name": "server", "env": [{"name": "EXTRA", "value": "1"}]}]}}}}
    value = "/spec/template/spec/containers/0/env/0/value"
    return [
        Step("patch-strategic", "patch deployment web -p " + _json(env)),
        Step("patch-strategic-result", "get deployment web -o jsonpath={.spec.template.spec.containers}"),
        Step("patch-merge", "patch deployment web --type=merge -p " + _json({"spec": {"revisionHistoryLimit": 5}})),
        Step("patch-merge-null", "patch service web --type=merge -p " + _json({"metadata": {"labels": {"tier": None}}})),
        Step("patch-json", "patch deployment web --type=json -p " + _json([{"op": "replace", "path": value, "value": "2"}])),
        Step("patch-json-test", "patch deployment web --type=json -p "
             + _json([{"op": "test", "path": "/spec/replicas", "value": 77}]), code=1),
        Step("patch-json-nowhere", "patch deployment web --type=json -p "
             + _json([{"op": "remove", "path": "/spec/nothing"}]), code=1),
        Step("patch-nothing", "patch service web -p " + _json({"spec": {"sessionAffinity": "None"}})),
        Step("patch-invalid", "patch deployment web -p " + _json({"spec": {"replicas": -1}}), code=1),
        Step("patch-broken", "patch deployment web --type=merge -p '{\"spec\":'", code=1),
        Step("patch-status", "patch deployment web --subresource=status --type=merge -p "
             + _json({"status": {"collisionCount": 3}}), kubectl="current"),
        Step("patch-settled", "rollout status deployment/web --timeout=60s", keep=("successfully",)),
        Step("patch-generation", "get deployment web -o jsonpath={.metadata.generation}"),
        Step("patch-node", "patch node {node3} -p " + _json({"spec": {"unschedulable": True}})),
        Step("patch-node-back", "patch node {node3} --type=json -p " + _json([{"op": "remove", "path": "/spec/unschedulable"}])),
        Step("patch-pod-toleration", "get pods -l app=web -o jsonpath={.items[0].spec.tolerations[*].key}"),
    ]


def _applying_server_side():
    return [
        Step("ss-apply", "apply --server-side -f -", manifest="applied.yaml"),
        Step("ss-ready", "rollout status deployment/applied --timeout=60s", keep=("successfully",)),
        Step("ss-again", "apply --server-side -f -", manifest="applied.yaml"),
        Step("ss-conflict", "apply --server-side --field-manager=rival -f -", manifest="contested.yaml", code=1),
        Step("ss-force", "apply --server-side --field-manager=rival --force-conflicts -f -", manifest="contested.yaml"),
        Step("ss-settled", "rollout status deployment/applied --timeout=60s", keep=("successfully",)),
        Step("ss-owners", "get deployment applied -o yaml --show-managed-fields", yaml=True, owners=True, kubectl="current",
             until=("applied:9", "observedGeneration: 2", "readyReplicas: 1", "updatedReplicas: 1",
                    "successfully progressed", "terminatingReplicas: 0")),
        Step("ss-image", "get deployment applied -o jsonpath={.spec.template.spec.containers[0].image}"),
        Step("ss-delete", "delete deployment applied"),
    ]


def _rollouts():
    return [
        Step("change", "apply -f -", manifest="shop-changed.yaml"),
        Step("changed", "rollout status deployment/web --timeout=60s", keep=("successfully",)),
        Step("change-diff", "diff -f -", manifest="shop.yaml", code=1, keep=(r"^[+-] +(image|value):",)),
        Step("set-image", "set image deployment/web server=registry.example/web:3"),
        Step("set-image-done", "rollout status deployment/web --timeout=60s", keep=("successfully",)),
        Step("history", "rollout history deployment/web"),
        Step("undo", "rollout undo deployment/web"),
        Step("undone", "rollout status deployment/web --timeout=60s", keep=("successfully",)),
        Step("undone-image", "get deployment web -o jsonpath={.spec.template.spec.containers[0].image}"),
        Step("pause", "rollout pause deployment/web"),
        Step("paused-restart", "rollout restart deployment/web", code=1),
        Step("resume", "rollout resume deployment/web"),
        Step("restart", "rollout restart deployment/web"),
        Step("restarted", "rollout status deployment/web --timeout=60s", keep=("successfully",)),
        Step("sets", "get replicasets", until=(r"(?s)web-\S+\s+3\s+3\s+3",), keep=(r"\s3\s+3\s+3\s", "NAME")),
    ]


def _custom():
    return [
        Step("crd", "apply -f -", manifest="definition.yaml"),
        Step("crd-wait", "wait --for=condition=Established customresourcedefinition/trips.example.io --timeout=60s"),
        Step("crd-get", "get customresourcedefinition trips.example.io"),
        Step("crd-names", "get trips", until=("No resources found",)),
        Step("crd-object", "apply -f -", manifest="trip.yaml", until=("trip.example.io/north",)),
        Step("crd-object-get", "get trips"),
        Step("crd-object-short", "get tr north -o wide"),
        Step("crd-object-yaml", "get trip north -o yaml", yaml=True),
        Step("crd-invalid", "apply -f -", manifest="bad-trip.yaml", code=1),
        Step("crd-merge", "patch trip north --type=merge -p " + _json({"spec": {"seats": 2}})),
        Step("crd-json", "patch trip north --type=json -p " + _json([{"op": "add", "path": "/spec/stops/-", "value": "Mo"}])),
        Step("crd-strategic", "patch trip north --type=strategic -p " + _json({"spec": {"seats": 2}}), code=1),
        Step("crd-status", "patch trip north --subresource=status --type=merge -p "
             + _json({"status": {"conditions": [{"type": "Ready", "status": "True"}]}, "spec": {"to": "ignored"}}),
             kubectl="current"),
        Step("crd-after", "get trips"),
        Step("crd-pruned", "patch trip north --type=merge -p " + _json({"spec": {"unknown": 1}})),
        Step("crd-pruned-result", "get trip north -o jsonpath={.spec}"),
        Step("crd-server-side", "apply --server-side --field-manager=rival -f -", manifest="trip.yaml", code=1),
        Step("crd-delete-object", "delete trip north"),
        Step("crd-delete", "delete customresourcedefinition trips.example.io"),
        Step("crd-gone", "get trips", code=1, until=("NotFound|doesn't have a resource type",), unrecorded=True),
    ]


def _others():
    return [
        Step("others", "apply -f -", manifest="others.yaml"),
        Step("others-set", "rollout status statefulset/db --timeout=60s", keep=("complete",)),
        Step("others-daemons", "rollout status daemonset/agent --timeout=60s", keep=("successfully",)),
        Step("others-job", "wait --for=condition=Complete job/once --timeout=60s"),
        Step("others-get", "get statefulsets,daemonsets,jobs,cronjobs -o wide"),
        Step("others-pods", "get pods -l app=db"),
        Step("others-revisions", "get controllerrevisions", keep=("statefulset", "daemonset", "NAME")),
        Step("others-job-yaml", "get job once -o yaml", yaml=True),
        Step("others-set-yaml", "get statefulset db -o yaml", yaml=True, until=("availableReplicas: 2",)),
        Step("others-scale", "scale statefulset db --replicas=1"),
        Step("others-scaled", "get pods -l app=db", until=(r"db-0(?![\s\S]*db-1)",)),
        Step("others-delete", "delete -f -", manifest="others.yaml"),
        Step("run", "run single --image=registry.example/single:1 --overrides=" + _json({"spec": {"nodeName": "{node2}"}})),
        Step("run-ready", "wait --for=condition=Ready pod/single --timeout=60s"),
        Step("expose", "expose pod single --port=80"),
        Step("create-map", "create configmap settings --from-literal=a=1 --from-literal=b=2"),
        Step("create-secret", "create secret generic hidden --from-literal=key=value"),
        Step("get-maps", "get configmaps,secrets,services"),
        Step("get-map-yaml", "get configmap settings -o yaml", yaml=True),
        Step("get-secret-yaml", "get secret hidden -o yaml", yaml=True),
        Step("priority", "create priorityclass urgent --value=1000 --description=first"),
        Step("priority-get", "get priorityclass urgent"),
        Step("priority-delete", "delete priorityclass urgent"),
    ]


def _nodes():
    return [
        Step("cordon", "cordon {node1}"),
        Step("cordoned", "get nodes"),
        Step("cordon-again", "cordon {node1}"),
        Step("uncordon", "uncordon {node1}"),
        Step("taint", "taint nodes {node1} person=here:NoSchedule"),
        Step("taint-shown", "get node {node1} -o jsonpath={.spec.taints}"),
        Step("taint-off", "taint nodes {node1} person-"),
        Step("drain-held", "drain {node1} --ignore-daemonsets --timeout=7s", code=1,
             keep=(r"Cannot evict pod", r"^node/", r"cordoned", r"timeout", r"evicted", r"drained")),
        Step("drain-held-pods", "get pods -l app=web", until=(r"(?s)(1/1\s+Running.*){3}",)),
        Step("drain-let-go", "patch poddisruptionbudget web --type=merge -p " + _json({"spec": {"minAvailable": 0}})),
        Step("drain-allowed", "get poddisruptionbudget web", until=(r"web\s+0\s+N/A\s+3",)),
        Step("drain", "drain {node1} --ignore-daemonsets --timeout=60s", keep=(r"^node/", r"cordoned", r"evict", r"drained")),
        Step("drained", "get nodes"),
        Step("drain-uncordon", "uncordon {node1}"),
        Step("drain-over", "rollout status deployment/web --timeout=60s", keep=("successfully",)),
    ]


def _mistakes():
    return [
        Step("no-pod", "get pod nothing", code=1),
        Step("no-kind", "get nothings", code=1),
        Step("no-node", "describe node nothing", code=1),
        Step("twice", "create namespace person", code=1),
        Step("misspelt", "apply -f -", manifest="misspelt.yaml", code=1),
        Step("invalid", "apply -f -", manifest="bad-deployment.yaml", code=1),
        Step("immutable", "apply -f -", manifest="moved-selector.yaml", code=1),
        Step("bad-selector", "get pods -l 'a in b'", code=1),
        Step("bad-field", "get pods --field-selector spec.nothing=1", code=1),
        Step("elsewhere-apply", "apply -n nowhere -f -", manifest="trip.yaml", code=1),
        Step("no-namespace", "create configmap lost -n nowhere", code=1),
        Step("move-pod", "patch pod single -p " + _json({"spec": {"nodeName": "{node3}"}}), code=1),
        Step("bad-quantity", "run greedy --image=x --overrides=" + _json({"spec": {"containers": [
            {"name": "greedy", "image": "x", "resources": {"requests": {"cpu": "lots"}}}]}}), code=1),
        Step("bad-weight", "run leaning --image=x --overrides=" + _json({"spec": {"affinity": {"nodeAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 101, "preference": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}]}}}}), code=1),
    ]


def _describing():
    return [
        Step("describe-deployment", "describe deployment web", drop=("combined from similar events",)),
        Step("describe-pod", "describe pod single"),
        Step("describe-service", "describe service web"),
        Step("describe-budget", "describe poddisruptionbudget web", old_code=1,
             drop=("^Events", r"^  (Type|----)  ", "NoPods")),
        Step("describe-namespace", "describe namespace person"),
        Step("events", "get events", keep=EVENTS),
        Step("events-wide", "get events -o wide", keep=(r"ScalingReplicaSet(?!.*combined)",)),
        Step("events-yaml", "get events.events.k8s.io -o name", unrecorded=True),
        Step("events-of", "events --for deployment/web", keep=("Scaled up replica set web-HASH from 0 to 3",), kubectl="current"),
    ]


def _deleting():
    return [
        Step("delete-pod", "delete pod single --grace-period=0 --force"),
        Step("delete-missing", "delete pod single", code=1),
        Step("delete-ignored", "delete pod single --ignore-not-found"),
        Step("orphan", "delete deployment web --cascade=orphan"),
        Step("orphan-left", "get replicasets -l app=web -o name", until=("replicaset",), keep=("replicaset",)),
        Step("adopt", "apply -f -", manifest="shop-changed.yaml"),
        Step("adopted", "rollout status deployment/web --timeout=60s", keep=("successfully",)),
        Step("delete-foreground", "delete deployment web --cascade=foreground"),
        Step("deleted", "get pods -l app=web", until=("No resources found",)),
        Step("delete-many", "delete configmap,secret --all", keep=("settings", "hidden")),
        Step("delete-file", "delete -f - --ignore-not-found", manifest="shop.yaml"),
        Step("delete-namespace", "delete namespace person"),
        Step("deleted-namespace", "get namespace person", code=1, until=("NotFound",)),
    ]

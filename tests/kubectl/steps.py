"""The kubectl commands of a user, in order. {node1}, {node2}, ... are the cluster's nodes by name."""

import json
import re
from dataclasses import dataclass, field

from expect import ABSENT, Shape


@dataclass
class Step:
    name: str  # name of the step in the recording and in the explained differences
    args: str  # arguments of kubectl
    manifest: str = ""  # a file of manifests/, passed on standard input
    code: int = 0  # the expected exit code; old_code, if given, for the old kubectl
    old_code: int | None = None
    until: dict = field(default_factory=dict)  # repeat until these paths have these values
    last: bool = False  # keep only the last line: the lines before it report progress
    unordered: bool = False  # the order of lines depends on generated names or on timing
    lines: str = ""  # keep only lines that match
    rows: tuple = ()  # keep only rows with these names
    row_keys: tuple = ("NAME",)  # the columns that identify a row of a table
    without: tuple = ()  # paths with these prefixes are not compared; the step says why
    owners: bool = False  # keep metadata.managedFields
    only: str = ""  # "embedded" or "real": skipped on the other
    kubectl: str = ""  # "current": the old one lacks the command; or "old"
    editor: str = ""  # KUBE_EDITOR
    unrecorded: bool = False  # run and checked, but not compared

    def form(self):
        """How the output is read."""
        if "-o json" in self.args.replace("-o jsonpath", ""):
            return "json"
        if self.args.startswith("describe "):
            return "describe"
        listed = re.match("(get|top|events) |api-resources", self.args) and not re.search("--raw|-o (?!wide|custom)", self.args)
        return "table" if listed else "text"


@dataclass
class Background:
    """kubectl in the background while other steps run."""

    name: str
    args: str
    first: dict  # {expression: number of lines that must match before `during` begins}
    during: list
    until: dict  # likewise, before kubectl is stopped
    ends: bool = False  # it ends by itself, and its lines are compared; otherwise the patterns that matched each object
    objects: bool = True  # counts objects instead of lines: the first word of a line
    only: str = ""
    kubectl: str = ""


# Kinds that the product or this script uses; the real control plane serves more.
KINDS = tuple("""
    configmaps events namespaces nodes persistentvolumeclaims persistentvolumes pods secrets serviceaccounts services
    replicationcontrollers controllerrevisions daemonsets deployments replicasets statefulsets jobs cronjobs
    horizontalpodautoscalers leases poddisruptionbudgets priorityclasses storageclasses csinodes endpointslices
    customresourcedefinitions mutatingwebhookconfigurations roles rolebindings clusterroles clusterrolebindings""".split())
POD = "web-HASH-SUFFIX"
# A rollout has ended when the controller has seen the last change and the pods of the previous revision are gone.
THREE = {"status.replicas": 3, "status.readyReplicas": 3, "status.availableReplicas": 3, "status.updatedReplicas": 3,
         "status.terminatingReplicas": 0, "status.conditions[Progressing].reason": "NewReplicaSetAvailable"}


def _rolled_out(name, deployment="web", expected=None):
    """Waits until a Deployment is complete, so that the next steps do not depend on timing."""
    return [Step(name, f"rollout status deployment/{deployment} --timeout=60s", last=True),
            Step(name + "-settled", f"get deployment {deployment} -o json", until=expected or THREE, unrecorded=True)]


def steps():
    return [*_looking(), *_deploying(), *_scaling(), *_labelling(), *_patching(), *_applying_server_side(), *_rollouts(),
            *_custom(), *_others(), *_measuring(), *_nodes(), *_mistakes(), *_describing(), *_deleting()]


def _json(value):
    """The value as one word of a command line."""
    return "'" + json.dumps(value) + "'"


def _looking():
    return [
        Step("ready", "get --raw /readyz"),
        Step("cluster-info", "cluster-info"),
        Step("api-resources", "api-resources", rows=KINDS, row_keys=("NAME", "APIVERSION")),
        Step("may-i", "auth can-i create pods"),
        Step("get-nodes", "get nodes"),
        Step("get-nodes-wide", "get nodes -o wide"),
        Step("get-node", "get node {node1} -o json"),
        # Whether the controller has already reported the node depends on timing.
        Step("describe-node", "describe node {node1}", without=("Events",)),
        Step("create-namespace", "create namespace person"),
        Step("account", "get serviceaccount default", until={"code": 0}, only="real", unrecorded=True),
        Step("accounts", "get serviceaccounts"),
        Step("get-namespace", "get namespaces person default"),
        Step("get-nothing", "get pods"),
    ]


def _deploying():
    return [
        Step("dry-run", "apply --dry-run=server -f -", manifest="shop.yaml"),
        Step("apply", "apply -f -", manifest="shop.yaml"),
        *_rolled_out("rollout"),
        Step("apply-again", "apply -f -", manifest="shop.yaml"),
        Step("budget-counted", "get poddisruptionbudget web -o json", until={"status.expectedPods": 3, "status.currentHealthy": 3},
             unrecorded=True),
        Step("get-all", "get deployments,replicasets,pods,services,poddisruptionbudgets"),
        Step("get-nodes-and-pods", "get nodes,pods -o wide"),
        Step("get-deployment-wide", "get deployment web -o wide"),
        Step("get-deployment", "get deployment web -o json"),
        Step("get-service", "get service web -o json"),
        Step("get-budget", "get poddisruptionbudget web -o json"),
        Step("get-pods", "get pods -l app=web -o json"),
        Step("fields", "get deployment web -o json --show-managed-fields", owners=True, kubectl="current"),
        Step("names", "get pods -o name"),
        Step("paging", "get pods -o name --chunk-size=1"),
        Step("jsonpath", "get deployment web -o jsonpath={.spec.template.spec.containers[0].image}"),
        Step("columns", "get pods -o custom-columns=NAME:.metadata.name,PHASE:.status.phase"),
        Step("on-node", "get pods --field-selector spec.nodeName={node1} -o name"),
        Step("elsewhere", "get pods --field-selector spec.nodeName={node2} -o name"),
        Step("sorted", "get pods --sort-by=.metadata.creationTimestamp -o name"),
        Step("labels-shown", "get pods -L app"),
        Step("slice", "get endpointslices", only="real", unrecorded=True,
             until={"web-SUFFIX.ENDPOINTS": Shape(r"IP,IP,IP"), "web-SUFFIX.PORTS": "8080"}),
        Step("slices", "get endpointslices"),
        Step("wait", "wait --for=condition=Available deployment/web --timeout=60s"),
        Step("wait-pods", "wait --for=condition=Ready pod -l app=web --timeout=60s"),
    ]


def _scaling():
    return [
        Background("watch", "get pods -w --no-headers", first={r"1/1\s+Running": 3}, until={r"1/1\s+Running": 4, "Terminating": 1},
                   during=[
                       Step("scale-up", "scale deployment web --replicas=4"),
                       *_rolled_out("scaled-up", expected=THREE | {"status.replicas": 4, "status.readyReplicas": 4,
                                                                   "status.availableReplicas": 4, "status.updatedReplicas": 4}),
                       Step("scale-down", "scale deployment web --replicas=3"),
                       *_rolled_out("scaled-down"),
                   ]),
        Background("watch-one", "get deployment web -w -o name", first={"deployment.apps/web": 1}, during=[],
                   until={"deployment.apps/web": 1}),
        Step("scaled", "get deployment web"),
        # Before the tenth similar event: from then on the real control plane combines them.
        Step("events", "get events --field-selector involvedObject.kind=Deployment -o json", until={"items.3.kind": "Event"}),
        Step("events-of-sets", "get events --field-selector involvedObject.kind=ReplicaSet -o json",
             until={"items.5.kind": "Event"}),
        Step("events-wide", "get events --field-selector involvedObject.kind=Deployment -o wide", row_keys=("MESSAGE",)),
        Step("events-new", "get events.events.k8s.io --field-selector regarding.kind=Deployment -o json"),
        Step("events-of", "events --for deployment/web", row_keys=("MESSAGE",), kubectl="current"),
        Step("scale-mistaken", "scale deployment web --replicas=2 --current-replicas=9", code=1),
        Step("scale-nothing", "scale deployment nothing --replicas=2", code=1),
        Step("scale-subresource", "get deployment web --subresource=scale", kubectl="current"),
        Step("scale-set", "scale replicaset --replicas=0 -l app=nothing", code=1),
    ]


def _labelling():
    return [
        Step("label", "label pods -l app=web tier=gold"),
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
        *_rolled_out("patch-strategic-done"),
        Step("patch-strategic-result", "get deployment web -o jsonpath={.spec.template.spec.containers}"),
        Step("patch-merge", "patch deployment web --type=merge -p " + _json({"spec": {"revisionHistoryLimit": 5}})),
        Step("patch-merge-null", "patch service web --type=merge -p " + _json({"metadata": {"labels": {"tier": None}}})),
        Step("patch-json", "patch deployment web --type=json -p " + _json([{"op": "replace", "path": value, "value": "2"}])),
        *_rolled_out("patch-json-done"),
        Step("patch-json-test", "patch deployment web --type=json -p "
             + _json([{"op": "test", "path": "/spec/replicas", "value": 77}]), code=1),
        Step("patch-json-nowhere", "patch deployment web --type=json -p "
             + _json([{"op": "remove", "path": "/spec/nothing"}]), code=1),
        Step("patch-nothing", "patch service web -p " + _json({"spec": {"sessionAffinity": "None"}})),
        Step("patch-invalid", "patch deployment web -p " + _json({"spec": {"replicas": -1}}), code=1),
        Step("patch-broken", "patch deployment web --type=merge -p '{\"spec\":'", code=1),
        Step("patch-status", "patch deployment web --subresource=status --type=merge -p "
             + _json({"status": {"collisionCount": 3}}), kubectl="current"),
        Step("patched", "get deployment web -o json"),
        Step("patch-node", "patch node {node3} -p " + _json({"spec": {"unschedulable": True}})),
        Step("patch-node-back", "patch node {node3} --type=json -p " + _json([{"op": "remove", "path": "/spec/unschedulable"}])),
        Step("patch-pod-toleration", "get pods -l app=web -o jsonpath={.items[0].spec.tolerations[*].key}"),
    ]


def _applying_server_side():
    one = {"status.replicas": 1, "status.readyReplicas": 1, "status.updatedReplicas": 1, "status.terminatingReplicas": 0,
           "status.conditions[Progressing].reason": "NewReplicaSetAvailable"}
    return [
        Step("ss-apply", "apply --server-side -f -", manifest="applied.yaml"),
        *_rolled_out("ss-ready", "applied", one),
        Step("ss-again", "apply --server-side -f -", manifest="applied.yaml"),
        Step("ss-conflict", "apply --server-side --field-manager=rival -f -", manifest="contested.yaml", code=1),
        Step("ss-force", "apply --server-side --field-manager=rival --force-conflicts -f -", manifest="contested.yaml"),
        *_rolled_out("ss-forced", "applied", one),
        Step("ss-owners", "get deployment applied -o json --show-managed-fields", owners=True, kubectl="current"),
        Step("ss-image", "get deployment applied -o jsonpath={.spec.template.spec.containers[0].image}"),
        Step("ss-delete", "delete deployment applied"),
        Step("ss-deleted", "get pods,replicasets -l app=applied -o name", until={"out": ABSENT, "code": 0}, unrecorded=True),
    ]


def _rollouts():
    return [
        Step("change", "apply -f -", manifest="shop-changed.yaml"),
        *_rolled_out("changed"),
        # Other lines name files and times, and the old kubectl compares metadata.managedFields too.
        Step("change-diff", "diff -f -", manifest="shop.yaml", code=1, lines=r"^[+-] +(generation|image|value):"),
        Step("set-image", "set image deployment/web server=registry.example/web:3"),
        *_rolled_out("set-image-done"),
        Step("history", "rollout history deployment/web"),
        Step("undo", "rollout undo deployment/web"),
        *_rolled_out("undone"),
        Step("undone-image", "get deployment web -o jsonpath={.spec.template.spec.containers[0].image}"),
        Step("pause", "rollout pause deployment/web"),
        Step("paused-restart", "rollout restart deployment/web", code=1),
        Step("resume", "rollout resume deployment/web"),
        Step("restart", "rollout restart deployment/web"),
        *_rolled_out("restarted"),
        Step("sets", "get replicasets"),
        Step("sets-history", "get replicasets -o json"),
    ]


def _custom():
    return [
        Step("crd", "apply -f -", manifest="definition.yaml"),
        Step("crd-wait", "wait --for=condition=Established customresourcedefinition/trips.example.io --timeout=60s"),
        Step("crd-get", "get customresourcedefinition trips.example.io"),
        Step("crd-definition", "get customresourcedefinition trips.example.io -o json"),
        # The old kubectl validates objects with OpenAPI, which has the new kind later than discovery has it.
        Step("crd-described", "get --raw /openapi/v2", only="real", kubectl="old", lines='"io.example.v1.Trip":',
             until={"out.1": Shape("(?s).*")}, unrecorded=True),
        Step("crd-names", "get trips", until={"code": 0}),
        Step("crd-object", "apply -f -", manifest="trip.yaml"),
        Step("crd-object-get", "get trips"),
        Step("crd-object-short", "get tr north -o wide"),
        Step("crd-object-json", "get trip north -o json"),
        Step("crd-invalid", "apply -f -", manifest="bad-trip.yaml", code=1),
        Step("crd-merge", "patch trip north --type=merge -p " + _json({"spec": {"seats": 2}})),
        Step("crd-json", "patch trip north --type=json -p " + _json([{"op": "add", "path": "/spec/stops/-", "value": "Mo"}])),
        Step("crd-strategic", "patch trip north --type=strategic -p " + _json({"spec": {"seats": 2}}), code=1),
        Step("crd-status", "patch trip north --subresource=status --type=merge -p "
             + _json({"status": {"conditions": [{"type": "Ready", "status": "True"}]}, "spec": {"to": "ignored"}}),
             kubectl="current"),
        Step("crd-after", "get trips"),
        Step("crd-pruned", "patch trip north --type=merge -p " + _json({"spec": {"unknown": 1}})),
        Step("crd-pruned-result", "get trip north -o json"),
        Step("crd-server-side", "apply --server-side --field-manager=rival -f -", manifest="trip.yaml", code=1),
        Step("crd-delete-object", "delete trip north"),
        Step("crd-delete", "delete customresourcedefinition trips.example.io"),
        Step("crd-gone", "get trips", code=1, until={"code": 1}, unrecorded=True),
    ]


def _others():
    return [
        Step("others", "apply -f -", manifest="others.yaml"),
        Step("others-set", "rollout status statefulset/db --timeout=60s", last=True),
        Step("others-daemons", "rollout status daemonset/agent --timeout=60s", last=True),
        Step("others-job", "wait --for=condition=Complete job/once --timeout=60s"),
        Step("others-set-settled", "get statefulset db -o json", until={"status.availableReplicas": 2, "status.currentReplicas": 2},
             unrecorded=True),
        Step("others-get", "get statefulsets,daemonsets,jobs,cronjobs -o wide"),
        Step("others-pods", "get pods -l app=db"),
        Step("others-revisions", "get controllerrevisions"),
        Step("others-job-json", "get job once -o json", until={"status.uncountedTerminatedPods": {}}),
        Step("others-job-pod", "get pods -l job-name=once"),
        Step("others-set-json", "get statefulset db -o json"),
        Step("others-daemons-json", "get daemonset agent -o json"),
        Step("others-cron-json", "get cronjob nightly -o json"),
        Step("others-scale", "scale statefulset db --replicas=1"),
        Step("others-scaled", "get pods -l app=db", until={"order": "db-0"}),
        Step("others-events", "get events --field-selector involvedObject.kind=StatefulSet -o json",
             until={"items.3.kind": "Event"}),
        Step("others-delete", "delete -f -", manifest="others.yaml"),
        Step("run", "run single --image=registry.example/single:1 --overrides=" + _json({"spec": {"nodeName": "{node2}"}})),
        Step("run-ready", "wait --for=condition=Ready pod/single --timeout=60s"),
        Step("expose", "expose pod single --port=80"),
        Step("create-map", "create configmap settings --from-literal=a=1 --from-literal=b=2"),
        Step("create-secret", "create secret generic hidden --from-literal=key=value"),
        Step("get-maps", "get configmaps,secrets,services"),
        Step("get-map", "get configmap settings -o json"),
        Step("get-secret", "get secret hidden -o json"),
        Step("priority", "create priorityclass urgent --value=1000 --description=first"),
        Step("priority-get", "get priorityclass urgent"),
        Step("priority-delete", "delete priorityclass urgent"),
    ]


def _measuring():
    """Runs late, because new pods have no metrics yet."""
    measured = {"CPU(cores)": Shape(r"\d+m"), "MEMORY(bytes)": Shape(r"\d+Mi")}
    return [
        Step("top-nodes", "top nodes", only="embedded", unrecorded=True,
             until={f"node{place}.{column}": shape for place in (1, 2, 3) for column, shape in measured.items()}),
        Step("top-pods", "top pods", only="embedded", unrecorded=True,
             until={f"{POD}{number}.{column}": shape for number in ("", "#2", "#3") for column, shape in measured.items()}),
    ]


def _nodes():
    taint = "spec.taints.1.key"
    return [
        Step("cordon", "cordon {node1}"),
        Step("cordoned", "get nodes"),
        # A controller adds the taint to a cordoned node, and removes it, with a delay.
        Step("cordoned-node", "get node {node1} -o json", until={taint: "node.kubernetes.io/unschedulable"}, unrecorded=True),
        Step("cordon-again", "cordon {node1}"),
        Step("uncordon", "uncordon {node1}"),
        Step("uncordoned-node", "get node {node1} -o json", until={taint: ABSENT}, unrecorded=True),
        Step("taint", "taint nodes {node1} person=here:NoSchedule"),
        Step("taint-shown", "get node {node1} -o jsonpath={.spec.taints}"),
        Step("taint-off", "taint nodes {node1} person-"),
        Background("drain", "drain {node1} --ignore-daemonsets", ends=True, objects=False, first={"Cannot evict pod": 3}, until={},
                   during=[
                       Step("drain-held-nodes", "get nodes"),
                       Step("drain-held-pods", "get pods -l app=web"),
                       Step("drain-let-go", "patch poddisruptionbudget web --type=merge -p " + _json({"spec": {"minAvailable": 0}})),
                   ]),
        Step("drain-allowed", "get poddisruptionbudget web", until={"web.ALLOWED DISRUPTIONS": "3"}),
        Step("drained", "get nodes"),
        Step("drain-uncordon", "uncordon {node1}"),
        *_rolled_out("drain-over"),
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
        # More than ten similar events: the real control plane has combined them.
        Step("describe-deployment", "describe deployment web", without=("Events",)),
        Step("describe-pod", "describe pod single", row_keys=("Reason",)),
        Step("describe-service-known", "describe service web", only="real", until={"Endpoints": "IP:8080,IP:8080,IP:8080"},
             unrecorded=True),
        Step("describe-service", "describe service web"),
        # Whether the controller sees the budget before its pods depends on timing.
        Step("describe-budget", "describe poddisruptionbudget web", old_code=1, without=("Events",)),
        Step("describe-namespace", "describe namespace person"),
    ]


def _deleting():
    return [
        Step("delete-pod", "delete pod single --grace-period=0 --force"),
        Step("delete-missing", "delete pod single", code=1),
        Step("delete-ignored", "delete pod single --ignore-not-found"),
        Step("orphan", "delete deployment web --cascade=orphan"),
        Step("orphan-left", "get replicasets -l app=web"),
        Step("adopt", "apply -f -", manifest="shop-changed.yaml"),
        *_rolled_out("adopted"),
        Step("delete-foreground", "delete deployment web --cascade=foreground"),
        Step("deleted", "get deployments,replicasets,pods -l app=web"),
        Step("delete-many", "delete configmap,secret --all", unordered=True),
        Step("delete-file", "delete -f - --ignore-not-found", manifest="shop.yaml"),
        Step("delete-namespace", "delete namespace person"),
        Step("deleted-namespace", "get namespace person", code=1, until={"code": 1}),
    ]

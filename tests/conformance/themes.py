"""Themes of scenarios: each adds the fields that its plugin reads to nodes, to pods and to the incoming pod."""

from builder import APPS, HOST, IMAGES, NAMESPACES, REGION, ZONE, cpu, mib, milli_cpu, priority_of

TOPOLOGIES = [ZONE, ZONE, HOST, HOST, REGION, "rack"]


def container_of(pod):
    return pod["spec"]["containers"][0]


def ask(container, name, amount, limit=True):
    resources = container.setdefault("resources", {})
    resources.setdefault("requests", {})[name] = amount
    if limit:
        resources.setdefault("limits", {})[name] = amount


# Resources.

def resources(b):
    extended = ["example.com/gpu", "example.com/fpga"]
    for node in b.nodes:
        for name in extended:
            if b.maybe(0.65):
                amount = str(b.rng.randint(0, 6))
                node["status"]["capacity"][name] = node["status"]["allocatable"][name] = amount
        if b.maybe(0.7):
            node["status"]["capacity"]["hugepages-2Mi"] = node["status"]["allocatable"]["hugepages-2Mi"] = mib(
                2 * b.rng.randint(0, 64))
    for pod in b.pods:
        if b.maybe(0.2):
            ask(container_of(pod), b.rng.choice(extended), "1")
    for change in b.some([_extended, _hugepages, _init_containers, _overhead, _pod_level, _ephemeral], at_least=1)[:2]:
        for pod in [b.incoming, *[pod for pod in b.pods if b.maybe(0.15)]]:
            change(b, pod)


def _extended(b, pod):
    ask(container_of(pod), b.rng.choice(["example.com/gpu", "example.com/fpga"]), str(b.rng.randint(1, 2)))


def _hugepages(b, pod):
    container = container_of(pod)
    container.setdefault("resources", {}).setdefault("requests", {}).setdefault("memory", "64Mi")
    ask(container, "hugepages-2Mi", mib(2 * b.rng.randint(1, 12)))


def _ephemeral(b, pod):
    ask(container_of(pod), "ephemeral-storage", b.rng.choice(["2Gi", "15Gi", "30Gi"]), limit=False)


def _init_containers(b, pod):
    init = []
    for number in range(b.rng.randint(1, 3)):
        container = {"name": f"init{number}", "image": b.rng.choice(list(IMAGES)),
                     "resources": {"requests": b.requests()}}
        if b.maybe(0.5):
            container["restartPolicy"] = "Always"
        init.append(container)
    pod["spec"]["initContainers"] = init
    if b.maybe(0.4):
        pod["spec"]["containers"].append({"name": "second", "image": b.rng.choice(list(IMAGES)),
                                          "resources": {"requests": b.requests()}})


def _overhead(b, pod):
    pod["spec"]["runtimeClassName"] = b.rng.choices(["conf-light", "conf-pool"], [3, 1])[0]


def _pod_level(b, pod):
    """Pod-level requests replace the sum of the containers' requests and must not be less."""
    sums = {"cpu": "3", "memory": "5Gi"}
    requests = {name: sums[name] for name in b.some(sums, at_least=1)}
    pod["spec"]["resources"] = {"requests": requests}


# Nodes.

TAINTS = [("dedicated", "gpu"), ("dedicated", "db"), ("flaky", ""), ("example.com/zone", "edge")]


def taints(b):
    for node in b.nodes:
        if b.maybe(0.65):
            made = {}  # a key has each effect only once
            for key, value in b.some(TAINTS, at_least=1)[:2]:
                effect = b.rng.choices(["NoSchedule", "NoExecute", "PreferNoSchedule"], [3, 2, 5])[0]
                made[key, effect] = {"key": key, "effect": effect, **({"value": value} if value else {})}
            node["spec"]["taints"] = list(made.values())
        if b.maybe(0.15):
            node["spec"]["unschedulable"] = True
    tolerations = []
    for key, value in b.some(TAINTS):
        tolerations.append(b.rng.choice([
            {"key": key, "operator": "Exists"}, {"key": key, "operator": "Exists", "effect": "NoSchedule"},
            {"key": key, "value": value, "effect": b.rng.choice(["NoSchedule", "NoExecute", "PreferNoSchedule"])},
            {"key": key, "operator": "Equal", "value": value},
            {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30}]))
    if b.maybe(0.1):
        tolerations.append({"operator": "Exists", **({"effect": "NoSchedule"} if b.maybe(0.5) else {})})
    if b.maybe(0.15):
        tolerations.append({"key": "node.kubernetes.io/unschedulable", "operator": "Exists", "effect": "NoSchedule"})
    if tolerations:
        b.incoming["spec"]["tolerations"] = tolerations


def _node_requirement(b):
    return b.rng.choice([
        {"key": "disk", "operator": "In", "values": ["ssd"]}, {"key": "disk", "operator": "NotIn", "values": ["hdd"]},
        {"key": ZONE, "operator": "In", "values": b.some(["za", "zb", "zc"], at_least=1)},
        {"key": "rack", "operator": "Exists"}, {"key": "rack", "operator": "DoesNotExist"},
        {"key": "rank", "operator": "Gt", "values": [str(b.rng.randint(0, 8))]},
        {"key": "rank", "operator": "Lt", "values": [str(b.rng.randint(2, 9))]},
        {"key": "pool", "operator": "Gt", "values": ["1"]},  # the label is no number
        {"key": "pool", "operator": "In", "values": ["a", "c"]}])


def _node_term(b, fields=True):
    term = {}
    if b.maybe(0.9):
        term["matchExpressions"] = [_node_requirement(b) for _ in range(b.rng.randint(1, 2))]
    if fields and (b.maybe(0.2) or not term):
        names = b.node_names() + [f"{b.prefix}-gone"]
        term["matchFields"] = [{"key": "metadata.name", "operator": b.rng.choice(["In", "In", "NotIn"]),
                                "values": [b.rng.choice(names)]}]
    return term


def node_affinity(b):
    spec = b.incoming["spec"]
    if b.maybe(0.25):
        spec["nodeSelector"] = b.rng.choice([{"pool": "a"}, {"disk": "ssd"}, {"pool": "b", "disk": "hdd"}])
    affinity = {}
    if b.maybe(0.6):
        terms = [_node_term(b) for _ in range(b.rng.randint(1, 3))]
        if b.maybe(0.15):  # every term names its node: only those nodes are filtered
            terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]}
                     for name in b.some(b.node_names() + [f"{b.prefix}-gone"], at_least=1)[:3]]
        elif b.maybe(0.1):
            terms.append({})  # matches nothing
        affinity["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": terms}
    if b.maybe(0.7) or not affinity:
        affinity["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {"weight": b.rng.choice([1, 5, 30, 100]), "preference": _node_term(b)} for _ in range(b.rng.randint(1, 4))]
    spec.setdefault("affinity", {})["nodeAffinity"] = affinity


def images(b):
    for node in b.nodes:
        listed = []
        for name, size in IMAGES.items():
            if b.maybe(0.5):
                full = name if ":" in name else name + ":latest"
                listed.append({"names": [full, full.split(":")[0] + "@sha256:" + "0" * 64],
                               "sizeBytes": size * 1024 * 1024 + b.rng.randint(0, 1000)})
        if listed:
            node["status"]["images"] = listed
    if b.maybe(0.4):
        b.incoming["spec"]["containers"].append({"name": "side", "image": b.rng.choice(list(IMAGES))})
    if b.maybe(0.3):
        b.incoming["spec"].setdefault("initContainers", []).append(
            {"name": "fetch", "image": b.rng.choice(list(IMAGES))})


def ports(b):
    def use(pod, chance_ip):
        numbers = b.rng.sample([80, 443, 8080], b.rng.randint(1, 2))
        container_of(pod)["ports"] = []
        for number in numbers:
            port = {"containerPort": number, "hostPort": number, "protocol": b.rng.choice(["TCP", "TCP", "UDP"])}
            if b.maybe(chance_ip):
                port["hostIP"] = b.rng.choice(["127.0.0.1", "10.0.0.1", "0.0.0.0"])
            container_of(pod)["ports"].append(port)
    use(b.incoming, 0.3)
    for node in b.node_names():
        if b.maybe(0.75):
            use(b.add_pod(node=node), 0.3)


# Inter-pod rules.

def spread(b):
    version = b.incoming["metadata"]["labels"].setdefault("version", "v1")
    constraints, used = [], set()
    for _ in range(b.rng.choices([1, 2, 3], [55, 35, 10])[0]):
        key = b.rng.choice(TOPOLOGIES)
        hard = b.maybe(0.55)
        if (key, hard) in used:
            continue
        used.add((key, hard))
        constraint = {"maxSkew": b.rng.choice([1, 1, 1, 2, 3]), "topologyKey": key,
                      "whenUnsatisfiable": "DoNotSchedule" if hard else "ScheduleAnyway",
                      "labelSelector": b.selector(b.incoming["metadata"]["labels"]["app"] if b.maybe(0.8) else None)}
        if b.maybe(0.03):
            del constraint["labelSelector"]
        elif b.maybe(0.2):
            constraint["matchLabelKeys"] = ["version"] if version else []
        if hard and b.maybe(0.25):
            constraint["minDomains"] = b.rng.randint(1, 5)
        if b.maybe(0.3):
            constraint["nodeAffinityPolicy"] = b.rng.choice(["Honor", "Ignore"])
        if b.maybe(0.3):
            constraint["nodeTaintsPolicy"] = b.rng.choice(["Honor", "Ignore"])
        constraints.append(constraint)
    b.incoming["spec"]["topologySpreadConstraints"] = constraints
    for _ in range(b.rng.randint(0, 8)):
        b.add_pod(namespace=b.incoming["metadata"]["namespace"], app=b.incoming["metadata"]["labels"]["app"],
                  requests={})
    if b.maybe(0.3) and b.nodes:  # the case that the two policies are about
        for node in b.some(b.nodes)[:2]:
            node["spec"].setdefault("taints", []).append({"key": "spread-only", "effect": "NoSchedule"})


def _pod_term(b):
    term = {"topologyKey": b.rng.choice(TOPOLOGIES), "labelSelector": b.selector()}
    if b.maybe(0.04):
        del term["labelSelector"]
    else:
        if b.maybe(0.12):
            term[b.rng.choice(["matchLabelKeys", "mismatchLabelKeys"])] = ["version"]
    if b.maybe(0.2):
        term["namespaces"] = b.some(NAMESPACES, at_least=1)[:2]
    if b.maybe(0.2):
        term["namespaceSelector"] = b.rng.choice([
            {}, {"matchLabels": {"team": "red"}}, {"matchExpressions": [{"key": "env", "operator": "DoesNotExist"}]},
            {"matchExpressions": [{"key": "team", "operator": "NotIn", "values": ["blue"]}]},
            {"matchExpressions": [{"key": "env", "operator": "Exists"}]}])
    return term


def _pod_affinities(b, pod, required):
    affinity = pod["spec"].setdefault("affinity", {})
    for kind in b.some(["podAffinity", "podAntiAffinity"], at_least=1):
        rules = {}
        if b.maybe(required):
            rules["requiredDuringSchedulingIgnoredDuringExecution"] = [
                _pod_term(b) for _ in range(b.rng.choices([1, 2], [85, 15])[0])]
        if b.maybe(0.6) or not rules:
            rules["preferredDuringSchedulingIgnoredDuringExecution"] = [
                {"weight": b.rng.choice([1, 10, 50, 100]), "podAffinityTerm": _pod_term(b)}
                for _ in range(b.rng.randint(1, 3))]
        affinity[kind] = rules


def pod_affinity(b):
    if b.maybe(0.8):
        _pod_affinities(b, b.incoming, required=0.5)
    if b.maybe(0.1):  # the first pod of its group: it may match itself
        b.incoming["metadata"]["labels"]["app"] = "lone"
        b.incoming["spec"]["affinity"] = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": b.rng.choice(TOPOLOGIES), "labelSelector": {"matchLabels": {"app": "lone"}}}]}}
    for pod in b.pods:
        if b.maybe(0.3):
            _pod_affinities(b, pod, required=0.35)


def owners(b):
    """Services and controllers: a pod without its own spread constraints gets the default ones."""
    namespace, labels = b.incoming["metadata"]["namespace"], b.incoming["metadata"]["labels"]
    b.incoming["spec"].pop("topologySpreadConstraints", None)
    if b.maybe(0.6):
        for app in sorted({labels["app"], b.rng.choice(APPS)}):
            b.add("Service", b.name("svc"), namespace=namespace,
                  spec={"clusterIP": "None", "selector": {"app": app}, "ports": [{"port": 80}]})
    if b.maybe(0.7):
        kind, api = b.rng.choice([("ReplicaSet", "apps/v1"), ("StatefulSet", "apps/v1"), ("ReplicationController", "v1")])
        name = b.name("owner")
        match = dict(labels)
        template = {"metadata": {"labels": match}, "spec": {"containers": [{"name": "main", "image": "registry.example/x"}]}}
        spec = {"selector": match if kind == "ReplicationController" else {"matchLabels": match}, "template": template,
                "replicas": 3}
        if kind == "StatefulSet":
            spec["serviceName"] = "none"
        b.add(kind, name, api=api, namespace=namespace, spec=spec)
        reference = {"apiVersion": api, "kind": kind, "name": name, "controller": True,
                     "uid": "00000000-0000-4000-8000-000000000001"}
        b.incoming["metadata"]["ownerReferences"] = [reference]
    for _ in range(b.rng.randint(2, 9)):
        pod = b.add_pod(namespace=namespace, app=labels["app"], requests={})
        if b.maybe(0.7):
            pod["metadata"]["labels"] = dict(labels)


# Full nodes.

def squeeze(b):
    """Fills every node until the incoming pod does not fit, with pods of some priority, mostly a lower one.

    The incoming pod sometimes requests most of a node, so that more than one pod must be preempted.
    """
    smallest = min((b.allocatable_cpu(node) for node in b.nodes), default=1000)
    asked = max(milli_cpu(b.incoming), b.rng.choice([200, 1000, smallest // 2, smallest * 4 // 5]))
    b.incoming["spec"]["containers"] = b.incoming["spec"]["containers"][:1]
    b.incoming["spec"].pop("resources", None)
    ask(container_of(b.incoming), "cpu", cpu(asked), limit=False)
    for node in b.nodes:
        left = b.free_cpu(node)
        if left < asked:
            continue
        fill = left - b.rng.randint(0, asked - 1)
        parts = b.rng.choices([1, 2, 3, 5], [10, 25, 35, 30])[0]
        cuts = sorted(b.rng.randint(0, fill) for _ in range(parts - 1))
        for begin, end in zip([0, *cuts], [*cuts, fill]):
            b.add_pod(node=node["metadata"]["name"], requests={"cpu": cpu(end - begin), "memory": "32Mi"},
                      priority=b.rng.choices([None, "conf-below", "conf-low", "conf-mid", "conf-high"],
                                             [10, 20, 35, 30, 5])[0])


def preemption(b):
    squeeze(b)
    b.incoming["spec"]["priorityClassName"] = b.rng.choices(
        ["conf-high", "conf-mid", "conf-low", "conf-polite"], [70, 15, 5, 10])[0]
    for _ in range(b.rng.choices([0, 1, 2, 3], [20, 30, 30, 20])[0]):
        namespace = b.rng.choices(list(NAMESPACES), [60, 20, 15, 5])[0]
        allowed = b.rng.choice([0, 0, 1, 2])
        status = {"disruptionsAllowed": allowed, "currentHealthy": 3, "desiredHealthy": 3 - min(allowed, 3),
                  "expectedPods": 3, "observedGeneration": 1}
        disrupted = [pod["metadata"]["name"] for pod in b.pods
                     if pod["metadata"]["namespace"] == namespace and b.maybe(0.05)]
        if disrupted:
            status["disruptedPods"] = {name: "2026-01-05T00:00:00Z" for name in disrupted}
        b.add("PodDisruptionBudget", b.name("pdb"), api="policy/v1", namespace=namespace,
              spec={"minAvailable": 1, "selector": b.selector()})["_status"] = status


def start_times(b):
    """Which of two equally important pods is kept depends on which started first, else on which was seen first.

    A dump does not show the latter. So no two pods of a node started at the same time, and at most one has not started.
    """
    for node in b.node_names():
        there = [pod for pod in b.pods
                 if pod["spec"]["nodeName"] == node and priority_of(pod) < priority_of(b.incoming)]
        hours = b.rng.sample(range(max(24, 2 * len(there))), len(there))
        for pod, hour in zip(there, hours):
            if pod is there[0] and b.maybe(0.3):
                continue
            started = f"2026-01-0{1 + hour // 24}T{hour % 24:02}:00:00Z"
            pod.setdefault("_status", {"phase": "Running"})["startTime"] = started


def nominated(b):
    """Pending pods with a nominated node: they count there for pods of the same or lower priority."""
    for _ in range(b.rng.randint(1, 3)):
        pod = b.pod(b.name("wait"), b.incoming["metadata"]["namespace"], b.rng.choice(APPS),
                    {"cpu": b.rng.choice(["300m", "1", "2"]), "memory": "256Mi"})
        # The pod fits nowhere and preempts no pod, so it stays pending.
        pod["spec"].update(nodeSelector={"nowhere": "at-all"}, preemptionPolicy="Never",
                           priorityClassName="conf-polite")
        if b.maybe(0.4):
            pod["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": b.rng.choice([HOST, ZONE]), "labelSelector": b.selector()}]}}
        if b.maybe(0.3):
            container_of(pod)["ports"] = [{"containerPort": 80, "hostPort": 80}]
        b.nominees.append((pod, b.rng.choice(b.node_names())))
    if b.maybe(0.4):
        b.incoming_nominated = b.rng.choice(b.node_names())


def terminating(b):
    if not b.pods:
        b.make_pods(6)
    for pod in b.pods:
        if b.maybe(0.4):
            pod["_delete"] = True


def resize(b):
    """Pods that are being resized: their allocated resources may be more than their current requests."""
    if not b.pods:
        b.make_pods(6)
    for pod in b.pods:
        container = container_of(pod)
        if not b.maybe(0.5) or "cpu" not in container.get("resources", {}).get("requests", {}):
            continue
        given = {"cpu": b.rng.choice(["100m", "1", "2"]), "memory": b.rng.choice(["64Mi", "2Gi"])}
        status = {"phase": "Running", "containerStatuses": [
            {"name": "main", "image": container["image"], "imageID": "", "ready": True, "restartCount": 0,
             "allocatedResources": given,
             "resources": {"requests": given if b.maybe(0.5) else {"cpu": "700m"}}}]}
        if b.maybe(0.4):
            status["conditions"] = [{"type": "PodResizePending", "status": "True",
                                     "reason": b.rng.choice(["Infeasible", "Deferred"])}]
        pod["_status"] = status


def gates(b):
    b.incoming["spec"]["schedulingGates"] = [{"name": "example.com/wait"}]

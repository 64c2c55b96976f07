"""Building blocks of a scenario: valid objects for the API server, and the few numbers that themes plan with."""

# Created once for a whole run: admission plugins read these from caches, which may not have a new object yet.
NAMESPACES = {
    "conf-a": {"team": "red"}, "conf-b": {"team": "blue"}, "conf-c": {"team": "red", "env": "prod"}, "conf-d": {},
}
PRIORITIES = {"conf-below": (-10, None), "conf-low": (100, None), "conf-mid": (1000, None), "conf-high": (10000, None),
              "conf-polite": (9000, "Never")}
ZONES = ["za", "zb", "zc"]
APPS = ["web", "db", "cache"]
ZONE, REGION, HOST = "topology.kubernetes.io/zone", "topology.kubernetes.io/region", "kubernetes.io/hostname"
IMAGES = {"registry.example/app/web:1": 400, "registry.example/app/db:2": 950, "registry.example/base": 30,
          "registry.example/huge:3": 2400}  # MiB


def fixed_objects():
    """Namespaces, PriorityClasses and RuntimeClasses that all scenarios share."""
    for name, labels in NAMESPACES.items():
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}
    for name, (value, policy) in PRIORITIES.items():
        yield {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
               "value": value, **({"preemptionPolicy": policy} if policy else {})}
    yield {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "conf-light"},
           "handler": "light", "overhead": {"podFixed": {"cpu": "250m", "memory": "120Mi"}}}
    yield {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "conf-pool"}, "handler": "pool",
           "overhead": {"podFixed": {"memory": "1Gi"}},
           "scheduling": {"nodeSelector": {"pool": "a"},
                          "tolerations": [{"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"}]}}


def cpu(milli):
    return f"{milli}m"


def mib(amount):
    return f"{amount}Mi"


def milli_cpu(pod):
    """The approximate requests of the pod's containers, to plan with."""
    total = 0
    for container in pod["spec"]["containers"]:
        text = container.get("resources", {}).get("requests", {}).get("cpu", "0")
        total += int(text[:-1]) if text.endswith("m") else int(float(text) * 1000)
    return total


def priority_of(pod):
    name = pod["spec"].get("priorityClassName")
    return PRIORITIES[name][0] if name else 0


class Builder:
    def __init__(self, rng, prefix):
        self.rng = rng
        self.prefix = prefix
        self.objects, self.nodes, self.pods, self.nominees = [], [], [], []
        self.incoming = None
        self.incoming_nominated = ""
        self._numbers = {}

    def name(self, kind):
        self._numbers[kind] = self._numbers.get(kind, 0) + 1
        return f"{self.prefix}-{kind}{self._numbers[kind]}"

    def maybe(self, chance):
        return self.rng.random() < chance

    def some(self, items, at_least=0):
        items = list(items)
        return self.rng.sample(items, self.rng.randint(min(at_least, len(items)), len(items)))

    # Nodes.

    def make_nodes(self, count):
        uniform = self.maybe(0.3)  # many ties
        shape = self._shape()
        for _ in range(count):
            self._make_node(shape if uniform else self._shape())

    def _shape(self):
        return {"cpu": self.rng.choice([2000, 4000, 8000, 16000]), "memory": self.rng.choice([4096, 8192, 16384, 32768]),
                "pods": self.rng.choices([4, 10, 110], [3, 12, 85])[0],
                "ephemeral": self.rng.choices([0, 20480, 102400], [1, 3, 3])[0]}

    def _make_node(self, shape):
        name = self.name("n")
        labels = {"pool": self.rng.choice("ab"), "rank": str(self.rng.randint(1, 9))}
        if self.maybe(0.95):
            labels[HOST] = name
        if self.maybe(0.88):
            labels[ZONE] = self.rng.choice(ZONES)
            if self.maybe(0.9):
                labels[REGION] = "r1" if labels[ZONE] != "zc" else "r2"
        if self.maybe(0.6):
            labels["disk"] = self.rng.choice(["ssd", "hdd"])
        if self.maybe(0.5):
            labels["rack"] = self.rng.choice(["k1", "k2", "k3", "k4"])
        capacity = {"cpu": cpu(shape["cpu"]), "memory": mib(shape["memory"]), "pods": str(shape["pods"])}
        if shape["ephemeral"]:
            capacity["ephemeral-storage"] = mib(shape["ephemeral"])
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": {},
                "status": {"capacity": dict(capacity), "allocatable": dict(capacity)}}
        if self.maybe(0.2):  # system-reserved resources
            node["status"]["allocatable"]["cpu"] = cpu(shape["cpu"] - 150)
            node["status"]["allocatable"]["memory"] = mib(shape["memory"] - 300)
        self.nodes.append(node)

    def node_names(self):
        return [node["metadata"]["name"] for node in self.nodes]

    def free_cpu(self, node):
        name = node["metadata"]["name"]
        used = sum(milli_cpu(pod) for pod in self.pods if pod["spec"].get("nodeName") == name)
        return self.allocatable_cpu(node) - used

    @staticmethod
    def allocatable_cpu(node):
        return int(node["status"]["allocatable"]["cpu"][:-1])

    # Pods.

    def pod(self, name, namespace, app, requests):
        labels = {"app": app}
        if self.maybe(0.6):
            labels["version"] = self.rng.choice(["v1", "v2"])
        if self.maybe(0.3):
            labels["tier"] = self.rng.choice(["front", "back"])
        container = {"name": "main", "image": self.rng.choice(list(IMAGES))}
        if requests:
            container["resources"] = {"requests": requests}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace, "labels": labels},
                "spec": {"containers": [container]}}

    def requests(self):
        requests = {}
        if self.maybe(0.8):
            requests["cpu"] = self.rng.choice(["0", "50m", "100m", "250m", "0.5", "700m", "1"])
        if self.maybe(0.7):
            requests["memory"] = self.rng.choice(["0", "64Mi", "129e6", "512Mi", "1.5Gi", "700M", "1Gi"])
        if self.maybe(0.1):
            requests["ephemeral-storage"] = self.rng.choice(["1Gi", "8Gi"])
        return requests

    def make_pods(self, count):
        for _ in range(count):
            self.add_pod()

    def add_pod(self, node=None, requests=None, namespace=None, app=None, priority=None):
        namespace = namespace or self.rng.choices(list(NAMESPACES), [60, 20, 15, 5])[0]
        pod = self.pod(self.name("p"), namespace, app or self.rng.choice(APPS),
                       self.requests() if requests is None else requests)
        pod["spec"]["nodeName"] = node or self.rng.choice(self.node_names())
        priority = priority or self.rng.choices([None, "conf-low", "conf-mid", "conf-below"], [55, 20, 15, 10])[0]
        if priority:
            pod["spec"]["priorityClassName"] = priority
        self.pods.append(pod)
        return pod

    def make_incoming(self):
        namespace = self.rng.choices(["conf-a", "conf-b", "conf-c"], [70, 20, 10])[0]
        self.incoming = self.pod(f"{self.prefix}-pod", namespace, self.rng.choice(APPS), self.requests())
        if self.maybe(0.4):
            self.incoming["spec"]["priorityClassName"] = self.rng.choice(
                ["conf-low", "conf-mid", "conf-high", "conf-polite"])

    # Other objects.

    def add(self, kind, name, api="v1", namespace=None, **fields):
        metadata = {"name": name, **fields.pop("metadata", {})}
        if namespace:
            metadata["namespace"] = namespace
        made = {"apiVersion": api, "kind": kind, "metadata": metadata, **fields}
        self.objects.append(made)
        return made

    def selector(self, app=None):
        """A label selector for the labels of pods; sometimes empty, sometimes with several expressions."""
        app = app or self.rng.choice(APPS)
        return self.rng.choice([
            {"matchLabels": {"app": app}}, {"matchLabels": {"app": app}},
            {"matchExpressions": [{"key": "app", "operator": "In", "values": [app, self.rng.choice(APPS)]}]},
            {"matchLabels": {"app": app}, "matchExpressions": [{"key": "tier", "operator": "DoesNotExist"}]},
            {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": [app]}]},
            {"matchExpressions": [{"key": "tier", "operator": "Exists"}]}, {},
        ])

"""Storage themes: bound claims, claims that wait for their pod, volume limits of nodes, and inline disks."""

from builder import REGION, ZONE, ZONES

DRIVERS = ["csi.example.com", "slow.example.com"]
STORAGE = "storage.k8s.io/v1"


def mount(b, claim):
    volumes = b.incoming["spec"].setdefault("volumes", [])
    volumes.append({"name": f"v{len(volumes)}", "persistentVolumeClaim": {"claimName": claim}})


def storage_class(b, mode, provisioner, **fields):
    return b.add("StorageClass", b.name("sc"), api=STORAGE, provisioner=provisioner, volumeBindingMode=mode,
                 **fields)["metadata"]["name"]


def zone_affinity(b, key=ZONE, values=None):
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [
        {"key": key, "operator": "In", "values": values or b.some(ZONES, at_least=1)[:2]}]}]}}


def volume(b, name, classname, size, driver=None, **spec):
    return b.add("PersistentVolume", name, spec={
        "capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": classname,
        "persistentVolumeReclaimPolicy": "Retain",
        "csi": {"driver": driver or DRIVERS[0], "volumeHandle": name}, **spec})


def claim(b, name, classname, size="1Gi", namespace=None, **spec):
    return b.add("PersistentVolumeClaim", name, namespace=namespace or b.incoming["metadata"]["namespace"], spec={
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}},
        **({"storageClassName": classname} if classname is not None else {}), **spec})


def bind(pvc, pv):
    """Binds the pair as the volume controller does."""
    pvc["spec"]["volumeName"] = pv["metadata"]["name"]
    pvc["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    pv["spec"]["claimRef"] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": pvc["metadata"]["name"],
                              "namespace": pvc["metadata"]["namespace"]}
    pv["_status"] = {"phase": "Bound"}
    pvc["_status"] = {"phase": "Bound"}


def bound_pair(b, classname, modes=("ReadWriteOnce",), namespace=None, driver=None):
    pv = volume(b, b.name("pv"), classname, "5Gi", driver=driver)
    pvc = claim(b, b.name("pvc"), classname, namespace=namespace)
    pv["spec"]["accessModes"] = pvc["spec"]["accessModes"] = list(modes)
    bind(pvc, pv)
    return pvc, pv


def bound(b):
    classname = storage_class(b, "Immediate", DRIVERS[0])
    for _ in range(b.rng.choices([1, 2], [75, 25])[0]):
        once = b.maybe(0.25)
        pvc, pv = bound_pair(b, classname, ["ReadWriteOncePod"] if once else ["ReadWriteOnce"])
        name = pvc["metadata"]["name"]
        mount(b, name)
        if b.maybe(0.4):
            pv["spec"]["nodeAffinity"] = zone_affinity(b)
        if b.maybe(0.4):
            pv["metadata"]["labels"] = b.rng.choice([
                {ZONE: b.rng.choice(ZONES)}, {ZONE: "za__zb"}, {REGION: "r1"},
                {"failure-domain.beta.kubernetes.io/zone": b.rng.choice(ZONES)}])
        if once and b.nodes and b.maybe(0.7):
            user = b.add_pod(namespace=b.incoming["metadata"]["namespace"], priority=b.rng.choice([None, "conf-low"]))
            user["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]
        if b.maybe(0.12):
            _spoil(b, pvc, pv, classname)


def _spoil(b, pvc, pv, classname):
    how = b.rng.choice(["lost", "no-volume", "unbound", "no-claim", "no-class", "ephemeral"])
    if how == "lost":
        pvc["_status"] = {"phase": "Lost"}
    elif how == "no-volume":
        b.objects.remove(pv)
    elif how == "unbound":
        mount(b, claim(b, b.name("pvc"), classname)["metadata"]["name"])
    elif how == "no-claim":
        mount(b, f"{b.prefix}-nothing")
    elif how == "no-class":
        mount(b, claim(b, b.name("pvc"), "")["metadata"]["name"])
    else:
        volumes = b.incoming["spec"].setdefault("volumes", [])
        volumes.append({"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": {
            "accessModes": ["ReadWriteOnce"], "storageClassName": classname,
            "resources": {"requests": {"storage": "1Gi"}}}}}})


def late(b):
    """WaitForFirstConsumer: existing volumes that match, and volumes that could be provisioned."""
    driver = f"{b.prefix}.example.com"
    provisioner = b.rng.choices(["kubernetes.io/no-provisioner", driver], [1, 3])[0]
    fields = {}
    if b.maybe(0.3):
        fields["allowedTopologies"] = [{"matchLabelExpressions": [
            {"key": ZONE, "values": b.some(ZONES, at_least=1)[:2]}]}]
    classname = storage_class(b, "WaitForFirstConsumer", provisioner, **fields)
    for _ in range(b.rng.randint(0, 5)):
        _free_volume(b, classname)
    tracked = provisioner == driver and b.maybe(0.5)
    if provisioner == driver:
        b.add("CSIDriver", driver, api=STORAGE, spec={"storageCapacity": tracked, "attachRequired": True})
    if tracked or b.maybe(0.1):
        for zone in b.some(ZONES):
            _capacity(b, classname, zone)
    for _ in range(b.rng.choices([1, 2, 3], [75, 20, 5])[0]):
        pvc = claim(b, b.name("pvc"), classname, size=b.rng.choice(["1Gi", "1Gi", "3Gi", "10Gi"]))
        if b.maybe(0.15):
            pvc["spec"]["selector"] = {"matchLabels": {"grade": "gold"}}
        if b.maybe(0.1) and b.nodes:
            pvc["metadata"]["annotations"] = {"volume.kubernetes.io/selected-node": b.rng.choice(b.node_names())}
        mount(b, pvc["metadata"]["name"])


def _free_volume(b, classname):
    pv = volume(b, b.name("pv"), classname, b.rng.choice(["1Gi", "4Gi", "20Gi"]))
    if b.maybe(0.7):
        pv["spec"]["nodeAffinity"] = zone_affinity(b) if b.maybe(0.6) or not b.nodes else zone_affinity(
            b, "kubernetes.io/hostname", [b.rng.choice(b.node_names())])
    if b.maybe(0.4):
        pv["metadata"]["labels"] = {"grade": b.rng.choice(["gold", "tin"])}
    if b.maybe(0.1):
        pv["spec"]["volumeMode"] = "Block"
    if b.maybe(0.1):
        pv["spec"]["accessModes"] = ["ReadOnlyMany"]
    pv["_status"] = {"phase": "Available" if b.maybe(0.92) else "Released"}


def _capacity(b, classname, zone):
    made = b.add("CSIStorageCapacity", b.name("cap"), api=STORAGE, namespace="conf-d", storageClassName=classname,
                 capacity=b.rng.choice(["2Gi", "5Gi", "50Gi", "100Gi"]), nodeTopology={"matchLabels": {ZONE: zone}})
    if b.maybe(0.3):
        made["maximumVolumeSize"] = "2Gi"
    if b.maybe(0.1):
        del made["nodeTopology"]


def limits(b):
    driver = DRIVERS[0]
    classname = storage_class(b, "Immediate", driver)
    wait = storage_class(b, "WaitForFirstConsumer", driver)
    for node in b.node_names():
        if b.maybe(0.85):
            drivers = [{"name": driver, "nodeID": node, "topologyKeys": []}]
            if b.maybe(0.85):
                drivers[0]["allocatable"] = {"count": b.rng.randint(1, 4)}
            b.add("CSINode", node, api=STORAGE, spec={"drivers": drivers})
    shared = []
    for node in b.node_names():
        for _ in range(b.rng.randint(0, 2)):
            user = b.add_pod(node=node, requests={}, namespace=b.incoming["metadata"]["namespace"])
            pvc, _ = bound_pair(b, classname)
            shared.append(pvc["metadata"]["name"])
            user["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": shared[-1]}}]
    for _ in range(b.rng.randint(1, 2)):
        if shared and b.maybe(0.3):
            mount(b, shared.pop())
        elif b.maybe(0.3):
            mount(b, claim(b, b.name("pvc"), wait)["metadata"]["name"])
        else:
            mount(b, bound_pair(b, classname)[0]["metadata"]["name"])
    if b.maybe(0.4) and b.nodes:  # attached, although no pod there uses it
        _, pv = bound_pair(b, classname)
        node = b.rng.choice(b.node_names())
        b.add("VolumeAttachment", b.name("va"), api=STORAGE, spec={
            "attacher": driver, "nodeName": node, "source": {"persistentVolumeName": pv["metadata"]["name"]}})


def disks(b):
    """Disks that the pod spec names directly."""
    def disk():
        number, read_only = b.rng.randint(1, 2), b.maybe(0.5)
        return b.rng.choice([
            {"gcePersistentDisk": {"pdName": f"disk{number}", "readOnly": read_only}},
            {"awsElasticBlockStore": {"volumeID": f"vol-{number}"}},
            {"iscsi": {"targetPortal": "10.0.0.1:3260", "iqn": f"iqn.2026-01.example:{number}", "lun": 0,
                       "readOnly": read_only}},
            {"rbd": {"monitors": b.some(["10.1.0.1", "10.1.0.2", "10.1.0.3"], at_least=1), "image": f"image{number}",
                     "pool": "p", "readOnly": read_only}}])
    b.incoming["spec"].setdefault("volumes", []).append({"name": "disk", **disk()})
    for node in b.node_names():
        for _ in range(b.rng.randint(0, 3)):
            b.add_pod(node=node, requests={})["spec"]["volumes"] = [{"name": "disk", **disk()}]

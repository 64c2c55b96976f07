"""Where the embedded cluster is known to differ from the real control plane, and why.

docs/embedded-cluster.md has the same list in prose. `real` are expressions for lines only the real control plane gives,
`embedded` for those only the embedded one gives.
"""

from dataclasses import dataclass


@dataclass
class Difference:
    why: str
    steps: str  # an expression for the names of the steps
    real: tuple = ()
    embedded: tuple = ()
    kubectl: str = ""  # "old": with that one only


NODES = Difference(
    "nodes: KWOK's there, our own kubelets' here",
    steps="get-nodes|get-nodes-wide|get-nodes-and-pods|cordoned|drained",
    real=(r"^(node/)?node\d  Ready(,SchedulingDisabled)?  <none>  AGE  v1\.36\.4(  |$)",),
    embedded=(r"^(node/)?node\d  Ready(,SchedulingDisabled)?  <none>  AGE  v1\.36\.4-embedded(  |$)",))

# Everything a kubelet says about its machine: sizes, software, images, and the order and words of its conditions.
NODE_DETAILS = Difference(
    NODES.why,
    steps="get-node-yaml|describe-node",
    real=(r"kwok|KWOK|FakeNode|beta\.kubernetes\.io|topology\.kubernetes\.io|^  annotations:$|^Labels:|kubernetes\.io/arch=",
          r"(cpu|ephemeral-storage|memory): +\S+$", r"^  - lastHeartbeatTime|^    (lastTransitionTime|status|type): ",
          r"^      Port: 0$", r"^    (bootID|kernelVersion|kubeProxyVersion|machineID|systemUUID): \"\"$",
          r"v1\.36\.4$", r"^  (Machine ID|System UUID|Boot ID|Kernel Version|OS Image|Kube-Proxy Version):",
          r"HolderIdentity:  vm_UID"),
    embedded=(r"topology\.kubernetes\.io|sim\.rescheduler\.io/group|^Labels:|^Annotations:  <none>$",
              r"(cpu|ephemeral-storage|memory): +\S+$", r"^  - lastHeartbeatTime|^    (lastTransitionTime|status|type): ",
              r"kubelet (has|is) |Kubelet(Has|Ready)", r"^      Port: 10250$",
              r"^  images:$|^  - names:$|^    - registry|^    sizeBytes: ", r"-embedded$|Embedded Linux",
              r"^    (bootID|systemUUID): UID$|^    machineID: ID$", r"^  (Machine ID:  ID|(System UUID|Boot ID):  UID)$",
              r"HolderIdentity:  node1", r"^  Kube-Proxy Version:"))

PODS = Difference(
    "pods: KWOK reports no container IDs, images and events, and no PodScheduled for pods that name their node",
    steps="get-pods-yaml|describe-pod",
    real=(r"^    - image: registry", r"imageID: \"\"$", r"^    (Container ID|Image ID):$",
          r"type: Ready$|^  Ready  True$|^      status: \"True\"$", r"^Events:  <none>$"),
    embedded=(r"containerID: containerd://DIGEST|imageID: registry\S+@sha256:DIGEST|^      image: registry",
              r"^    (Container ID|Image ID):  \S+DIGEST$", r"^    observedGeneration: 1$",
              r"type: (Ready|PodScheduled)$|^  (Ready|PodScheduled)  True$|^      status: \"True\"$",
              r"^    - lastTransitionTime: ", r"^Events:$|^  (Type  Reason|----  ------)  ",
              r"  (Pulled|Created|Started)  AGE  kubelet  "))

EMPTY_FIELDS = Difference(
    "fields that Go writes although they are empty (lastProbeTime: null, lastState: {}, message: \"\") are left out",
    steps="get-pods-yaml|get-budget-yaml",
    real=(r"^    - lastProbeTime: null$|^      lastTransitionTime: \"TIME\"$", r"^      lastState: {}$",
          r"^    message: \"\"$"),
    embedded=(r"^    - lastTransitionTime: \"TIME\"$",))

DIFFERENCES = [
    NODES, NODE_DETAILS, PODS, EMPTY_FIELDS,
    Difference("no accounts: no default ServiceAccount, no token in pods, no kube-root-ca.crt",
               steps="account|get-pods-yaml|describe-pod|get-maps",
               real=(r"^== account:|^NAME  AGE$|^default  AGE$",
                     r"kube-api-access|kube-root-ca\.crt|serviceaccount|serviceAccountToken",
                     r"^ +(- )?(volumeMounts|volumes|mountPath|readOnly|projected|defaultMode|sources|downwardAPI|items"
                     r"|configMap|fieldRef|fieldPath|apiVersion|path|key|name|expirationSeconds): ?\S*$",
                     r"^    Mounts:$|^Volumes:$", r"^    (Type|TokenExpirationSeconds|ConfigMapName|ConfigMapOptional"
                     r"|Optional|DownwardAPI):  "),
               embedded=(r"^    Mounts:  <none>$|^Volumes:  <none>$",)),
    Difference("zone and region of the node are not copied into the labels of its pods",
               steps="get-pods-yaml|describe-pod", real=(r"topology\.kubernetes\.io/(region|zone)",)),
    Difference("usage is served (metrics.k8s.io); the real control plane has no metrics-server here",
               steps="api-resources", embedded=(r"metrics\.k8s\.io/v1beta1",)),
    Difference("no endpoints: a Service leads nowhere", steps="slices|describe-service",
               real=(r"^NAME  ADDRESSTYPE", r"^Endpoints:  IP", r"v1 Endpoints is deprecated"),
               embedded=(r"^Endpoints:  <none>$",)),
    Difference("who owns which field is tracked from the first server-side apply on; until then there are no "
               "managedFields, and all fields count as owned by before-first-apply",
               steps="fields|crd-server-side",
               real=(r"^  managedFields:$|^  - apiVersion: apps/v1$|^ +(fieldsType|fieldsV1|manager|operation|subresource|time):",
                     r"^ +(f:|k:|\.: )", r"conflict with \"kubectl-patch\""),
               embedded=(r"conflict with \"before-first-apply\"",)),
    Difference("no warnings about unknown fields (fieldValidation=Warn)", steps="crd-pruned",
               real=(r"^! Warning: unknown field",)),
    Difference("the old kubectl checks objects by itself against OpenAPI version 2, which has no fields here: what is "
               "wrong is found by the server, and unknown fields are dropped",
               steps="misspelt|crd-invalid",
               real=(r"error validating data", r"^-> 1$"),
               embedded=(r"^configmap/misspelt created$", r"^! The Trip \"nowhere\" is invalid:", r"^! \* spec\."),
               kubectl="old"),
    Difference("what is wrong with a text that cannot be read is said in other words",
               steps="patch-broken|bad-selector",
               real=(r"error decoding patch: |unable to parse requirement: ",),
               embedded=(r"error decoding patch: |unable to parse requirement: ",)),
    Difference("a forbidden change of a pod names the field instead of printing both objects", steps="move-pod",
               real=(r"^! (@@| |- |\+ )", r"^! ?$"), embedded=(r"^! changed: nodeName$",)),
    Difference("similar events are told one by one, not combined after the tenth, and name the instance that wrote them",
               steps="describe-deployment|events-wide",
               real=(r"ScalingReplicaSet  deployment/\w+  deployment-controller  ",),
               embedded=(r"  Normal  ScalingReplicaSet  AGE( \(xN over AGE\))?  deployment-controller  ",
                         r"ScalingReplicaSet  deployment/\w+  deployment-controller, deployment-controller  ")),
]

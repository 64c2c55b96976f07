"""A minimal Kubernetes client: keep-alive connections, one per thread, and concurrent requests."""

import concurrent.futures
import http.client
import json
import socket
import ssl
import threading
import urllib.parse

# Kind -> (path of its API group, plural, namespaced). In the order in which the objects must be created.
KINDS = {
    "Namespace": ("/api/v1", "namespaces", False),
    "PriorityClass": ("/apis/scheduling.k8s.io/v1", "priorityclasses", False),
    "RuntimeClass": ("/apis/node.k8s.io/v1", "runtimeclasses", False),
    "StorageClass": ("/apis/storage.k8s.io/v1", "storageclasses", False),
    "CSIDriver": ("/apis/storage.k8s.io/v1", "csidrivers", False),
    "CSIStorageCapacity": ("/apis/storage.k8s.io/v1", "csistoragecapacities", True),
    "CSINode": ("/apis/storage.k8s.io/v1", "csinodes", False),
    "VolumeAttachment": ("/apis/storage.k8s.io/v1", "volumeattachments", False),
    "PersistentVolume": ("/api/v1", "persistentvolumes", False),
    "PersistentVolumeClaim": ("/api/v1", "persistentvolumeclaims", True),
    "Service": ("/api/v1", "services", True),
    "ReplicationController": ("/api/v1", "replicationcontrollers", True),
    "ReplicaSet": ("/apis/apps/v1", "replicasets", True),
    "StatefulSet": ("/apis/apps/v1", "statefulsets", True),
    "PodDisruptionBudget": ("/apis/policy/v1", "poddisruptionbudgets", True),
    "Node": ("/api/v1", "nodes", False),
    "Pod": ("/api/v1", "pods", True),
}


class Refused(Exception):
    """The API server refused or failed a request."""

    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status = status


def collection(kind, namespace=None):
    group, plural, namespaced = KINDS[kind]
    return f"{group}/namespaces/{namespace}/{plural}" if namespaced and namespace else f"{group}/{plural}"


def path_of(thing):
    metadata = thing["metadata"]
    return f"{collection(thing['kind'], metadata.get('namespace'))}/{metadata['name']}"


def wire(thing):
    """The object without the private fields ("_...") that scenarios keep in it."""
    return {key: value for key, value in thing.items() if not key.startswith("_")}


class Api:
    def __init__(self, description, threads=6):
        url = urllib.parse.urlparse(description["server"])
        self._host, self._port = url.hostname, url.port
        self._tls = ssl.create_default_context(cafile=description["ca_file"])
        self._tls.load_cert_chain(description["client_certificate_file"], description["client_key_file"])
        self._mine = threading.local()
        self._pool = concurrent.futures.ThreadPoolExecutor(threads)

    def close(self):
        self._pool.shutdown()

    def call(self, method, path, body=None, content="application/json"):
        text = json.dumps(body) if body is not None else None
        headers = {"Accept": "application/json", **({"Content-Type": content} if text else {})}
        for attempt in (1, 2):
            connection = self._connection()
            try:
                connection.request(method, path, text, headers)
                answer = connection.getresponse()
                data = answer.read()
                break
            except (http.client.HTTPException, OSError):
                self._mine.connection = None
                if attempt == 2:
                    raise
        if answer.status >= 300:
            raise Refused(answer.status, f"{method} {path}: {data.decode(errors='replace')[:600]}")
        return json.loads(data) if data else None

    def _connection(self):
        connection = getattr(self._mine, "connection", None)
        if connection is None:
            connection = http.client.HTTPSConnection(self._host, self._port, context=self._tls, timeout=30)
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._mine.connection = connection
        return connection

    def each(self, function, items):
        """Applies the function to every item, several at a time; raises the first failure."""
        return list(self._pool.map(function, items))

    def create(self, thing):
        return self.call("POST", collection(thing["kind"], thing["metadata"].get("namespace")), wire(thing))

    def patch(self, thing, change, part=""):
        return self.call("PATCH", path_of(thing) + part, change, "application/merge-patch+json")

    def list(self, kind):
        api = KINDS[kind][0].removeprefix("/apis/").removeprefix("/api/")
        items = self.call("GET", collection(kind))["items"]
        for item in items:
            item.get("metadata", {}).pop("managedFields", None)
        return [{"apiVersion": api, "kind": kind, **item} for item in items]

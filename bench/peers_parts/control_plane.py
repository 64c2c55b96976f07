"""One real control plane, and the few requests that a script sends to it."""

import collections
import datetime
import http.client
import json
import os
import pathlib
import re
import ssl
import subprocess
import threading
import time
import urllib.parse

from repeatable.about import ROOT
from repeatable.failed import Failed

from . import workloads

RIG = ROOT / "tools" / "kube-rig" / "rig"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases"
LEASE = "bench-peers"
REQUEST = re.compile(r'^apiserver_request_total\{(.*)\} ([0-9.e+]+)$', re.M)
LABEL = re.compile(r'(\w+)="([^"]*)"')
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        raise Failed(f"process {pid} is gone") from None
    return (int(fields[11]) + int(fields[12])) / TICKS


def timestamp():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class ControlPlane:
    def __init__(self, client, folder, rig_options=("--with", "etcd,kube-apiserver")):
        self._client, self.folder = client, folder
        made = subprocess.run(
            [RIG, "up", "--json", *rig_options, "--keep-alive-of", str(os.getpid()),
             "--apiserver-arg=--delete-collection-workers=16"], stdout=subprocess.PIPE, text=True, timeout=600)
        if made.returncode != 0:
            raise Failed("there is no control plane to measure on; `make rig` builds one")
        self._rig = json.loads(made.stdout.strip().splitlines()[-1])
        self.kubeconfig, self.bin_dir = self._rig["kubeconfig"], pathlib.Path(self._rig["bin_dir"])
        self._tls = ssl.create_default_context(cafile=self._rig["ca_file"])
        self._tls.load_cert_chain(self._rig["client_certificate_file"], self._rig["client_key_file"])
        self._address = urllib.parse.urlsplit(self._rig["server"])
        self._connections = threading.local()
        for name, value in workloads.PRIORITIES.items():
            self.request("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", {"metadata": {"name": name}, "value": value})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run([RIG, "down", self._rig["name"]], timeout=60)

    # --- One request at a time. ---

    def request(self, method, path, body=None, absent_is_fine=False, timeout=180):
        kept = getattr(self._connections, "one", None) is not None
        if not kept:
            self._connections.one = http.client.HTTPSConnection(
                self._address.hostname, self._address.port, timeout=timeout, context=self._tls)
        data = None if body is None else json.dumps(body).encode()
        kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
        try:
            self._connections.one.request(method, path, data, {"Content-Type": kind})
            answer = self._connections.one.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._connections.one.close()
            self._connections.one = None
            if kept and method == "GET":  # the connection was idle until the server closed it
                return self.request(method, path, body, absent_is_fine, timeout)
            raise Failed(f"{method} {path} got no answer: {error}") from error
        if answer.status >= 300 and not (absent_is_fine and answer.status == 404):
            raise Failed(f"{method} {path} was answered with {answer.status}: {text[:300].decode(errors='replace')}")
        return text

    def requests_so_far(self):
        """The number of requests for pods and events, by verb and resource."""
        count = collections.Counter()
        for labels, number in REQUEST.findall(self.request("GET", "/metrics").decode()):
            labels = dict(LABEL.findall(labels))
            if labels["resource"] in ("pods", "events") and labels["verb"] not in ("WATCH", "CONNECT"):
                about = labels["resource"] + ("/" + labels["subresource"] if labels["subresource"] else "")
                count[labels["verb"], about] += round(float(number))
        return count

    def pid_of(self, component):
        return self._rig["pids"][component]

    def kubectl(self, *words):
        done = subprocess.run([RIG, "kubectl", self._rig["name"], *map(str, words)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=120)
        if done.returncode != 0:
            raise Failed(f"kubectl {words[0]}: {done.stdout.strip()}")

    def connect(self, timeout):
        """A separate connection, for a slow answer."""
        return http.client.HTTPSConnection(self._address.hostname, self._address.port, timeout=timeout, context=self._tls)

    def server_cpu_seconds(self):
        return sum(cpu_seconds(pid) for pid in self._rig["pids"].values())

    def hold(self):
        """Takes the lease that the schedulers wait for."""
        self.request("DELETE", f"{LEASES}/{LEASE}", absent_is_fine=True)
        now = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())
        self.request("POST", LEASES, {"metadata": {"name": LEASE}, "spec": {
            "holderIdentity": "bench", "leaseDurationSeconds": 3600, "acquireTime": now, "renewTime": now,
            "leaseTransitions": 0}})

    def release(self):
        """Releases the lease properly. A scheduler does not take a deleted lease at once, because its holder might still act."""
        self.request("PATCH", f"{LEASES}/{LEASE}", {"spec": {"holderIdentity": "", "leaseDurationSeconds": 1}})

    def lease_taken(self):
        """When a scheduler took the lease after us, by the monotonic clock; None while it is free or has no time."""
        lease = json.loads(self.request("GET", f"{LEASES}/{LEASE}", absent_is_fine=True))
        taken = lease.get("spec", {}).get("acquireTime")
        if not taken:
            return None
        moment = datetime.datetime.fromisoformat(taken.replace("Z", "+00:00")).timestamp()
        return time.monotonic() - (time.time() - moment)

    def delete_pods(self, selector):
        path = "/api/v1/namespaces/default/pods?labelSelector=" + urllib.parse.quote(selector)
        while json.loads(self.request("GET", path + "&limit=1"))["items"]:
            self._delete_all(path, {"gracePeriodSeconds": 0})

    def delete_events(self):
        path = "/api/v1/namespaces/default/events"
        while json.loads(self.request("GET", path + "?limit=1"))["items"]:
            self._delete_all(path, {})

    def _delete_all(self, path, options):
        try:
            self.request("DELETE", path, options)
        except Failed as why:  # too many for the time of one request: the next request continues
            if " 504" not in str(why):
                raise

    # --- Many requests, by peers_client. ---

    def client_argv(self, *words):
        return [str(self._client), self.kubeconfig, *map(str, words)]

    def client(self, *words):
        done = subprocess.run(self.client_argv(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=1200)
        if done.returncode != 0:
            raise Failed(done.stderr.strip())
        return json.loads(done.stdout.strip().splitlines()[-1])

    def file(self, name, thing):
        path = self.folder / name
        path.write_text(json.dumps(thing))
        return path

    def make_nodes(self, count):
        self.client("nodes", self.file("node.json", workloads.node(timestamp())), count, workloads.ZONES)

    def make_pods(self, model, prefix, count, nodes=0):
        return self.client("pods", self.file(f"{prefix}.json", model), prefix, count, *([nodes] if nodes else []))


class Churn:
    """Every second creates a node, a pod and a service, and deletes those of the second before. Counts its requests for pods."""

    def __init__(self, plane, scheduler):
        self._plane, self._scheduler = plane, scheduler
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.requests = collections.Counter()
        self.problem = None

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self.end()

    def end(self):
        self._end.set()
        self._thread.join()

    def _run(self):
        number = 0
        try:
            self._come(number)
            while not self._end.wait(1.0):
                self._go(number)
                number += 1
                self._come(number)
            self._go(number)
        except Failed as why:
            self.problem = why

    def _come(self, number):
        for path, thing in workloads.churned(number, self._scheduler, timestamp()).items():
            self._plane.request("POST", path, thing)
        self.requests["POST", "pods"] += 1

    def _go(self, number):
        for path in workloads.churned(number, "", timestamp()):
            self._plane.request("DELETE", f"{path}/churn-{number}", {"gracePeriodSeconds": 0}, absent_is_fine=True)
        self.requests["DELETE", "pods"] += 1

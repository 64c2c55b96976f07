"""Tests with real components: two control planes side by side. Skipped if they have not been built."""

import base64
import json
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from rig_testing import RigTestCase, until

from kube_rig import binaries, components, pins
from kube_rig.http import Client

NODES = 3
MISSING = [name for name in pins.BINARY_NAMES if not binaries.is_present(name)]


@unittest.skipIf(MISSING, f"not built (run `rig build`): {', '.join(MISSING)}")
class RealClusters(RigTestCase):
    @classmethod
    def setUpClass(cls):
        """Starts both rigs at the same moment, so that interference between them is found."""
        shared = cls()  # only for its method to call rig
        shared.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="rig-test-")))
        shared.state = shared.folder / "state"
        shared.env = {"KUBE_RIG_STATE": str(shared.state)}
        cls.shared = shared
        cls.addClassCleanup(shared.rig, "down", "--all")
        cls.addClassCleanup(shared.doCleanups)
        everything = ",".join(components.START_ORDER)
        starting = [
            shared.start_rig("up", "one", "--json", "--with", everything, "--nodes", str(NODES)),
            shared.start_rig("up", "two", "--json", "--with", "etcd,kube-apiserver"),
        ]
        shown = [child.communicate(timeout=180) for child in starting]
        for child, (_, errors) in zip(starting, shown):
            if child.returncode != 0:
                raise AssertionError(errors)
        cls.one, cls.two = (json.loads(out) for out, _ in shown)

    def setUp(self):
        self.folder, self.state, self.env = self.shared.folder, self.shared.state, self.shared.env

    def client(self, rig: dict, folder: Path | None = None) -> Client:
        """As the administrator, or as the identity that was minted into `folder`."""
        certificate = folder / "client.crt" if folder else rig["client_certificate_file"]
        key = folder / "client.key" if folder else rig["client_key_file"]
        return self.enterContext(Client(rig["server"], ca=rig["ca_file"], certificate=certificate, key=key))

    def minted(self, *words) -> Path:
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(dir=self.folder)))
        self.rig("mint", "one", "--out", folder, *words, code=0)
        return folder

    def test_the_api_server_reports_the_pinned_version(self):
        self.assertEqual(self.client(self.one).get("/version")["gitVersion"], pins.kubernetes_version())

    def test_two_rigs_do_not_share_objects(self):
        made = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "only-in-two"}}
        self.client(self.two).post("/api/v1/namespaces", made)
        self.assertFalse(self.client(self.one).is_ok("/api/v1/namespaces/only-in-two"))

    def test_requests_without_permission_are_forbidden(self):
        unprivileged = self.client(self.one, self.minted("--user", "unprivileged"))
        self.assertEqual(unprivileged.request("GET", "/api/v1/pods")[0], 403)
        master = self.client(self.one, self.minted("--user", "admin-user", "--group", "system:masters"))
        self.assertEqual(master.request("GET", "/api/v1/pods")[0], 200)

    def test_an_expired_certificate_is_refused(self):
        late = self.client(self.one, self.minted("--user", "late", "--group", "system:masters", "--expired"))
        self.assertEqual(late.request("GET", "/api/v1/pods")[0], 401)

    def test_a_minted_kubeconfig_works(self):
        folder = self.minted("--user", "admin-user", "--group", "system:masters")
        ran = subprocess.run(
            [f"{self.one['bin_dir']}/kubectl", f"--kubeconfig={folder}/kubeconfig", "auth", "whoami"],
            capture_output=True, text=True, timeout=60,
        )
        self.assertIn("admin-user", ran.stdout, ran.stderr)

    def test_fake_nodes_are_ready_and_run_pods(self):
        shown = self.rig("kubectl", "one", "get", "nodes", "--no-headers", code=0).stdout.splitlines()
        self.assertEqual([line.split()[1] for line in shown], ["Ready"] * NODES)
        self.rig("kubectl", "one", "create", "deployment", "web", "--image=web", "--replicas=5", code=0)
        self.rig("kubectl", "one", "rollout", "status", "deployment/web", "--timeout=60s", code=0)
        self.rig("kubectl", "one", "create", "job", "once", "--image=once", code=0)
        self.rig("kubectl", "one", "wait", "--for=condition=complete", "job/once", "--timeout=60s", code=0)
        self.rig("kubectl", "one", "delete", "deployment/web", "job/once", "--timeout=60s", code=0)
        self.rig("kubectl", "one", "wait", "--for=delete", "pod", "--all", "--timeout=60s", code=0)

    def test_the_api_server_has_its_objects_after_a_restart(self):
        client = self.client(self.two)
        self.rig("stop", "two", "kube-apiserver", "--signal", "KILL", code=0)
        self.assertFalse(client.is_ok("/readyz"))
        self.rig("start", "two", "kube-apiserver", code=0)
        self.assertTrue(client.is_ok("/api/v1/namespaces/default"))

    def test_compaction_removes_old_revisions(self):
        client = self.client(self.two)
        old = client.get("/api/v1/configmaps")["metadata"]["resourceVersion"]
        for number in range(3):
            made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "later-"}}
            client.post("/api/v1/namespaces/default/configmaps", made)
        self.assertGreater(int(self.rig("compact", "two", code=0).stdout), int(old))
        with Client(self.two["etcd"]) as etcd:
            asked = {"key": base64.b64encode(b"/").decode(), "revision": old}
            status, answer = etcd.request("POST", "/v3/kv/range", asked)
            self.assertIn(b"compacted", answer)
            self.assertGreaterEqual(status, 400)
        # The API server caches recent events; a new one does not have them.
        self.rig("stop", "two", "kube-apiserver", "--signal", "KILL", code=0)
        self.rig("start", "two", "kube-apiserver", code=0)
        path = f"/api/v1/configmaps?watch=true&timeoutSeconds=5&resourceVersion={old}"
        self.assertIn(b'"code":410', self.client(self.two).request("GET", path)[1])

    def test_a_paused_api_server_does_not_answer_until_it_is_resumed(self):
        self.rig("pause", "two", "kube-apiserver", code=0)
        with mock.patch("kube_rig.http.REQUEST_SECONDS", 0.5):
            self.assertFalse(self.client(self.two).is_ok("/readyz"))
        self.rig("resume", "two", "kube-apiserver", code=0)
        until(lambda: self.client(self.two).is_ok("/readyz"), "the API server answers again")

    def test_the_reflector_counts_the_objects(self):
        for kind in ("protobuf", "json"):
            ran = subprocess.run(
                [f"{self.one['bin_dir']}/reflector", "--kubeconfig", self.one["kubeconfig"],
                 "--content-type", kind, "--resource", "nodes", "--expect", str(NODES), "--timeout", "30s"],
                capture_output=True, text=True, timeout=60,
            )
            report = json.loads(ran.stdout or "{}")
            self.assertEqual(report.get("by_resource"), {"nodes": NODES}, ran.stderr)
            self.assertEqual(report["content_type"], kind)
            self.assertGreaterEqual(report["peak_rss_bytes"], report["rss_bytes"])

    def test_a_failed_start_shows_the_log(self):
        ran = self.rig("up", "bad", "--with", "etcd,kube-apiserver", "--apiserver-arg", "--no-such-flag", code=1)
        self.assertIn("no-such-flag", ran.stderr)
        self.assertIn("rig: kube-apiserver ended with code", ran.stderr.splitlines()[-1])
        self.assertIn("no rig named bad", self.rig("status", "bad", code=1).stderr)


@unittest.skipIf(MISSING, f"not built (run `rig build`): {', '.join(MISSING)}")
class RigRemoval(RigTestCase):
    def test_down_removes_all_processes_and_the_folder(self):
        self.rig("up", "gone", "--nodes", "1", code=0)
        self.assertTrue(self.processes_of_rigs())
        self.rig("down", "gone", code=0)
        self.assert_nothing_left()

    def test_the_end_of_the_owner_process_removes_all_processes_and_the_folder(self):
        owner = self.sleeper()
        self.rig("up", "gone", "--keep-alive-of", owner.pid, code=0)
        owner.kill()
        owner.wait()
        until(lambda: not (self.root / "gone").exists(), "the watchdog has removed the rig")
        self.assert_nothing_left()


if __name__ == "__main__":
    unittest.main()

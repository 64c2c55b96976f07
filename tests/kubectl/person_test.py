"""The rules of the comparison: how output is read, what is replaced, and what counts as a difference."""

import json
import pathlib
import tempfile
import unittest
from unittest import mock

import compare
import document
import explained
import expect
import normalise
import session
import steps
from explained import Difference

NODES = """\
NAME     STATUS   ROLES    AGE   VERSION
kwok-0   Ready    <none>   5s    v1.36.4
kwok-1   Ready    <none>   5s    v1.36.4
"""
PODS = """\
NAME                       READY   STATUS    RESTARTS     AGE
pod/web-6d4f8b7c9f-x2x7z   1/1     Running   3 (5m ago)   2m30s
pod/web-6d4f8b7c9f-b2b7z   1/1     Running   3 (5m ago)   2m30s

NAME                  READY   UP-TO-DATE   AVAILABLE   AGE
deployment.apps/web   2/2     2            2           3m
"""
NODE = {
    "apiVersion": "v1", "kind": "Node",
    "metadata": {"name": "kwok-0", "uid": "01234567-89ab-cdef-0123-456789abcdef", "resourceVersion": "12",
                 "creationTimestamp": "2026-01-02T03:04:05Z", "labels": {"kubernetes.io/hostname": "kwok-0"}},
    "status": {"phase": "Running", "capacity": {"cpu": "32"},
               "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-02T03:04:05Z"},
                              {"type": "DiskPressure", "status": "False", "lastTransitionTime": "2026-01-02T03:04:05Z"}]},
}
DESCRIBED = """\
Name:               kwok-0
Labels:             app=web
                    tier: gold
Taints:             <none>
Conditions:
  Type             Status  LastHeartbeatTime                 Reason
  ----             ------  -----------------                 ------
  Ready            True    Fri, 02 Jan 2026 03:04:05 +0000   FakeNode
  DiskPressure     False   Fri, 02 Jan 2026 03:04:05 +0000   FakeNode
Capacity:
  cpu:  32
Containers:
  web:
    Image:         registry.example/web:1
    State:          Running
      Started:      Fri, 02 Jan 2026 03:04:05 +0000
    Mounts:
      /var/run from kube-api-access-x2x7z (ro)
Volumes:
  kube-api-access-x2x7z:
    Type:  Projected
"""


def normaliser():
    return normalise.Normaliser(["kwok-0", "kwok-1"], ["web", "once"])


def values(form, stdout, stderr="", code=0):
    text = stdout if isinstance(stdout, str) else json.dumps(stdout)
    return document.flat(document.read(form, text, stderr, code), normaliser())


def changed(**changes):
    """NODE with values replaced: status__phase="Failed"."""
    node = json.loads(json.dumps(NODE))
    for path, value in changes.items():
        *parents, last = path.split("__")
        place = node
        for parent in parents:
            place = place[int(parent) if parent.isdigit() else parent]
        place.pop(int(last) if last.isdigit() else last) if value is None else place.__setitem__(last, value)
    return node


class ReadingTest(unittest.TestCase):
    def test_a_table_is_read_by_its_column_titles(self):
        self.assertEqual(values("table", NODES), {
            "columns.1": "NAME | STATUS | ROLES | AGE | VERSION", "order": "node1, node2", "code": 0,
            **{f"node{place}.{column}": value for place in (1, 2) for column, value in
               {"STATUS": "Ready", "ROLES": "<none>", "AGE": "AGE", "VERSION": "v1.36.4"}.items()}})

    def test_an_empty_cell_is_a_cell_and_a_title_may_have_two_words(self):
        self.assertEqual(document.table("NAME   NODE NAME   IP\np      n1          <none>\n")[0], ["NAME", "NODE NAME", "IP"])
        self.assertEqual(document.table("NAME    SHORTNAMES   KIND\npods    po           Pod\nbars                 Bar\n")[1],
                         [{"NAME": "pods", "SHORTNAMES": "po", "KIND": "Pod"}, {"NAME": "bars", "SHORTNAMES": "", "KIND": "Bar"}])

    def test_several_tables_and_rows_with_equal_names_are_read(self):
        read = values("table", PODS)
        self.assertEqual(read["columns.2"], "NAME | READY | UP-TO-DATE | AVAILABLE | AGE")
        self.assertEqual(read["pod/web-HASH-SUFFIX#2.STATUS"], "Running")
        self.assertEqual(read["deployment.apps/web.READY"], "2/2")

    def test_rows_with_equal_names_are_distinguished_by_content_not_by_order(self):
        other = PODS.replace("b2b7z   1/1     Running", "b2b7z   0/1     Pending")
        swapped = PODS.replace("x2x7z   1/1     Running", "x2x7z   0/1     Pending")
        self.assertEqual(values("table", other), values("table", swapped))
        self.assertNotEqual(values("table", other), values("table", PODS))

    def test_the_order_of_conditions_is_ignored_and_the_order_of_other_lists_is_not(self):
        conditions = NODE["status"]["conditions"]
        self.assertEqual(values("json", changed(status__conditions=conditions[::-1])), values("json", NODE))
        self.assertNotEqual(values("json", {"ports": [1, 2]}), values("json", {"ports": [2, 1]}))

    def test_the_order_of_items_with_generated_names_is_ignored(self):
        one, two = ({"metadata": {"name": f"web-6d4f8b7c9f-{end}"}, "phase": phase}
                    for end, phase in (("x2x7z", "Running"), ("b2b7z", "Pending")))
        self.assertEqual(values("json", {"items": [one, two]}), values("json", {"items": [two, one]}))
        self.assertNotEqual(values("json", {"items": [one, one]}), values("json", {"items": [one, two]}))

    def test_an_empty_value_differs_from_an_absent_one(self):
        self.assertNotEqual(values("json", {"state": {}}), values("json", {"kind": "x"}) | {"kind": None})
        self.assertEqual(values("json", {"state": {}, "probe": None}), {"state": {}, "probe": None, "code": 0})

    def test_a_description_is_nested_by_indentation(self):
        read = values("describe", DESCRIBED)
        self.assertEqual({path: read[path] for path in read if not path.startswith("Conditions")}, {
            "Name": "node1", "Labels.1": "app=web", "Labels.2": "tier: gold", "Taints": "<none>", "Capacity.cpu": "32",
            "Containers.web.Image": "registry.example/web:1", "Containers.web.State": "Running",
            "Containers.web.State.Started": "TIME", "Containers.web.Mounts.lines.1": "/var/run from kube-api-access-SUFFIX (ro)",
            "Volumes.kube-api-access-SUFFIX.Type": "Projected", "code": 0})
        self.assertEqual(read["Conditions.Ready.Status"], "True")
        self.assertEqual(read["Conditions.Ready.LastHeartbeatTime"], "TIME")

    def test_errors_and_exit_codes_are_read(self):
        self.assertEqual(values("json", "", "Error: not found\n", 1), {"err.1": "Error: not found", "code": 1})


class NormaliserTest(unittest.TestCase):
    def test_node_names_and_generated_names_are_replaced(self):
        self.assertEqual(normaliser().names("pod/web-5c5d9 on kwok-1, set web-6d4f8b7c9f, job once-x2x7z, kwok-10, web-6d4f8b7c9f-x2x7z"),
                         "pod/web-SUFFIX on node2, set web-HASH, job once-SUFFIX, kwok-10, web-HASH-SUFFIX")

    def test_a_value_is_replaced_at_its_path_only(self):
        for path, value, expected in [
                ("web.AGE", "2m30s", "AGE"), ("web.STATUS", "2m30s", "2m30s"), ("metadata.uid", NODE["metadata"]["uid"], "UID"),
                ("data.key", NODE["metadata"]["uid"], NODE["metadata"]["uid"]), ("status.podIP", "10.0.0.1", "IP"),
                ("spec.containers.1.resources.requests.cpu", "100m", "100m"), ("metadata.resourceVersion", "7", "VERSION")]:
            self.assertEqual(normaliser().value(path, value), expected, path)

    def test_a_value_without_the_expected_form_is_not_replaced(self):
        for path, value in [("web.AGE", "<invalid>"), ("metadata.creationTimestamp", ""), ("status.podIP", "<none>"),
                            ("metadata.resourceVersion", "x")]:
            self.assertEqual(normaliser().value(path, value), value)

    def test_a_rule_that_replaces_nothing_is_reported(self):
        rules = [normalise.Rule("one", ("AGE", "DURATION"), "5s", "AGE"), normalise.Rule("two", ("time",), "x", "y", "current")]
        asked = normalise.Normaliser([], ["web"], rules)
        asked.value("web.AGE", "5s")
        asked.value("web.DURATION", "never")
        self.assertEqual(asked.unused(("embedded", "old")), ["DURATION: one"])
        self.assertEqual(asked.unused(("embedded", "current")), ["DURATION: one", "time: two"])


class CompareTest(unittest.TestCase):
    def failures(self, before, after, entries=(), kubectl="current"):
        one, other = ({"step": {"command": "get x"} | seen} for seen in (before, after))
        with mock.patch.object(explained, "DIFFERENCES", list(entries)), mock.patch("builtins.print"):
            return compare.report(one, other, kubectl)

    def test_a_recording_is_read_as_it_was_written(self):
        recorded = {"one": {"command": "get a: b = c", 'a.k:{"name":"x"}.b': 'te"xt = \n', "n": None, "e": {}, "t": True, "i": 1}}
        self.assertEqual(compare.read(compare.write(recorded)), recorded)

    def test_a_problem_in_a_table_or_description_is_a_difference(self):
        """Each of these once passed, because a pattern for whole lines matched it."""
        table, described = values("table", NODES), values("describe", DESCRIBED)
        for before, after, path in [
                (table, values("table", NODES.replace("kwok-1   Ready   ", "kwok-1   NotReady")), "node2.STATUS"),
                (table, values("table", NODES.replace("Ready    <none>", "Ready,SchedulingDisabled <none>", 1)), "node1.STATUS"),
                (table, values("table", "\n".join(NODES.splitlines()[:2])), "node2.STATUS"),
                (values("table", PODS), values("table", PODS.replace("x2x7z   1/1", "x2x7z   0/1")), "pod/web-HASH-SUFFIX.READY"),
                (values("table", PODS), values("table", PODS.replace("web   2/2", "web   1/2")), "deployment.apps/web.READY"),
                (described, values("describe", DESCRIBED.replace("Ready            True ", "Ready            False")),
                 "Conditions.Ready.Status"),
                (described, values("describe", DESCRIBED.replace("State:          Running", "State:          Waiting")),
                 "Containers.web.State"),
        ]:
            failures = self.failures(before, after)
            self.assertTrue(any(failure.startswith(f"step: {path}: ") for failure in failures), (path, failures))

    def test_a_problem_in_an_object_is_a_difference(self):
        for wrong, path in [
                (changed(status__conditions__0__status="False"), "status.conditions[Ready].status"),
                (changed(status__conditions__0=None), "status.conditions[Ready].status"),
                (changed(status__phase="Pending"), "status.phase"), (changed(status__phase=None), "status.phase"),
                (changed(status__capacity__cpu=32), "status.capacity.cpu"),
                (changed(metadata__creationTimestamp="yesterday"), "metadata.creationTimestamp"),
                (changed(spec={"unschedulable": True}), "spec.unschedulable")]:
            failures = self.failures(values("json", NODE), values("json", wrong))
            self.assertTrue(any(failure.startswith(f"step: {path}: ") for failure in failures), (path, failures))
        self.assertEqual(self.failures(values("json", NODE), values("json", changed())), [])

    def test_an_exit_code_is_compared(self):
        self.assertEqual(self.failures({"code": 0}, {"code": 1}), ["step: code: recorded 0, got 1"])

    def test_a_step_that_only_one_side_has_is_a_difference(self):
        self.assertEqual([entry[:2] for entry in compare.differences({"one": {"code": 0}}, {"two": {"code": 0}})],
                         [("one", "code"), ("two", "code")])

    def test_an_explanation_applies_to_its_step_path_and_value_only(self):
        version = Difference("because", ("step",), {"node*.VERSION": "ours"})
        self.assertEqual(self.failures({"node1.VERSION": "a"}, {"node1.VERSION": "ours"}, [version]), [])
        for before, after, step in [({"node1.VERSION": "a"}, {"node1.VERSION": "other"}, "step"),
                                    ({"node1.STATUS": "a"}, {"node1.STATUS": "ours"}, "step"),
                                    ({"node1.VERSION": "a"}, {"node1.VERSION": "ours"}, "another")]:
            entry = Difference("because", (step,), version.embedded)
            self.assertEqual(len(self.failures(before, after, [entry])), 2)  # the difference, and the unused explanation

    def test_an_explanation_can_expect_an_absent_value_or_a_pattern(self):
        entries = [Difference("because", ("step",), {"a.*": expect.ABSENT, "b": expect.Shape(r"sha256:\w+")})]
        self.assertEqual(self.failures({"a.1": 1, "a.2": 2}, {"b": "sha256:1"}, entries), [])
        self.assertEqual(len(self.failures({"a.1": 1}, {"a.1": 2, "b": "sha512:1"}, entries)), 4)

    def test_an_unused_explanation_fails(self):
        entry = Difference("because", ("step",), {"a": 1})
        self.assertEqual(self.failures({"a": 1}, {"a": 1}, [entry]), ["explains nothing: step: a: because"])

    def test_an_explanation_can_apply_to_one_kubectl_only(self):
        entry = Difference("because", ("step",), {"a": 1}, kubectl="old")
        self.assertEqual(self.failures({"a": 2}, {"a": 1}, [entry], "old"), [])
        self.assertEqual(self.failures({"a": 2}, {"a": 1}, [entry], "current"), ["step: a: recorded 2, got 1"])

    def test_explanations_do_not_apply_between_two_real_clusters(self):
        entry = Difference("because", ("step",), {"a": 1})
        self.assertEqual(self.failures({"a": 2}, {"a": 1}, [entry], None), ["step: a: recorded 2, got 1"])


class SessionTest(unittest.TestCase):
    """A kubectl with prepared answers; `calls` counts its invocations."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_steps(self, script, *todo, patience=30):
        kubectl = self.folder / "kubectl"
        kubectl.write_text(f"""#!/bin/sh
[ "$1" = -n ] && shift 2
calls={self.folder}/calls; echo "$*" >> "$calls"; asked=$(grep -cFx -- "$*" "$calls")
case "$*" in
  version*) echo v1.36.4;;
  "get nodes -o name") echo node/kwok-0; echo node/kwok-1;;
  {script}
esac
""")
        kubectl.chmod(0o755)
        with mock.patch.object(steps, "steps", lambda: list(todo)), mock.patch.object(normalise, "RULES", []), \
                mock.patch("builtins.print"), mock.patch.object(session, "PATIENCE", patience):
            return session.Session(str(kubectl), "none", "embedded", self.folder).run()

    def test_a_step_is_repeated_until_its_condition_holds(self):
        script = """"get thing -o json") echo '{"status": {"ready": '$asked'}}';;"""
        results, failures = self.run_steps(script, steps.Step("thing", "get thing -o json", until={"status.ready": 3}))
        self.assertEqual((results["thing"]["status.ready"], failures), (3, []))

    def test_a_condition_that_never_holds_fails(self):
        script = """"get thing -o json") echo '{"status": {"ready": false}}';;"""
        _, failures = self.run_steps(script, steps.Step("thing", "get thing -o json", until={"status.ready": True}),
                                     patience=0.1)
        self.assertEqual(len(failures), 1)
        self.assertIn("never saw {'status.ready': True}", failures[0])

    def test_an_unrecorded_step_still_has_to_succeed(self):
        _, failures = self.run_steps('"top nodes") echo broken >&2; exit 1;;', steps.Step("top", "top nodes", unrecorded=True))
        self.assertEqual(len(failures), 1)

    def test_the_states_of_each_object_are_recorded_in_the_background(self):
        script = """"get pods -w") echo "web-6d4f8b7c9f-x2x7z 1/1 Running"; echo "web-6d4f8b7c9f-b2b7z 1/1 Running"
          while ! grep -q delete "$calls"; do sleep 0.02; done; echo "web-6d4f8b7c9f-x2x7z 1/1 Terminating"; exec sleep 60;;
          delete) echo deleted;;"""
        results, failures = self.run_steps(script, steps.Background(
            "watch", "get pods -w", first={"Running": 2}, until={"Running": 2, "Terminating": 1},
            during=[steps.Step("delete", "delete")]))
        self.assertEqual(failures, [])
        self.assertEqual({results["watch"][f"web-HASH-SUFFIX{number}.SEEN"] for number in ("", "#2")}, {"Running", "Running, Terminating"})
        self.assertEqual(results["delete"]["out.1"], "deleted")

    def test_a_state_that_never_appears_in_the_background_fails(self):
        _, failures = self.run_steps('"get pods -w") echo "web 0/1 Pending"; exec sleep 60;;', steps.Background(
            "watch", "get pods -w", first={"Running": 1}, until={}, during=[]), patience=0.1)
        self.assertEqual(len(failures), 1)

    def test_repeated_lines_of_a_background_command_are_counted_once_per_object(self):
        script = """"drain x") for i in 1 2; do for pod in x2x7z b2b7z; do echo "cannot evict web-6d4f8b7c9f-$pod"; done; done; exit 1;;"""
        results, _ = self.run_steps(script, steps.Background("drain", "drain x", first={}, until={}, during=[], ends=True, objects=False))
        self.assertEqual(results["drain"], {"command": "drain x", "cannot evict web-HASH-SUFFIX": 2, "code": 1})


class ExplanationsTest(unittest.TestCase):
    HEALTH = ("READY", "STATUS", "AVAILABLE", "code", "phase", "ready", "status", "restartCount", "replicas", "readyReplicas",
              "availableReplicas", "Status", "State", "Ready", "order")

    def test_every_explanation_has_a_reason_and_existing_steps(self):
        names = set()
        for step in steps.steps():
            names |= {step.name, *(inner.name for inner in getattr(step, "during", []))}
        for entry in explained.DIFFERENCES:
            self.assertTrue(entry.why and entry.embedded and set(entry.steps) <= names, entry)

    def test_no_explanation_uses_a_pattern_for_a_health_value(self):
        """If a value shows whether something works, an explanation must name the exact value."""
        for entry in explained.DIFFERENCES:
            for path, expected in entry.embedded.items():
                if path.rsplit(".", 1)[-1] in self.HEALTH:
                    self.assertNotIsInstance(expected, expect.Shape, entry)

    def test_no_explanation_accepts_a_bad_health_value(self):
        """For every recorded value that shows whether something works: no explanation accepts a bad or missing value."""
        not_here = {"accounts", "slices"}  # the embedded cluster has none, so kubectl prints no table
        for kubectl, recorded in self.recordings():
            explanations = compare.Explanations(explained.DIFFERENCES, kubectl)
            paths = [(step, path) for step, values in recorded.items() for path in values if path.rsplit(".", 1)[-1] in self.HEALTH]
            self.assertGreater(len(paths), 300)
            for step, path in paths:
                for bad in ("NotReady", "Pending", "False", "0/3", "", 2, False, *([] if step in not_here else [expect.ABSENT])):
                    self.assertIsNone(explanations.why(step, path, bad), (kubectl, step, path, bad))

    def test_an_unhealthy_cluster_fails_the_session(self):
        pod = "pod/web-HASH-SUFFIX#3"
        for kubectl, recorded in self.recordings():
            for step, changes in {
                    "get-nodes": {"node2.STATUS": "NotReady"}, "get-nodes-wide": {"node3.STATUS": expect.ABSENT},
                    "get-node": {"status.conditions[Ready].status": "Unknown"},
                    "describe-node": {"Conditions.Ready.Status": "False"},
                    "get-all": {pod + ".READY": expect.ABSENT, pod + ".STATUS": expect.ABSENT, "deployment.apps/web.READY": "2/3"},
                    "get-pods": {"items.3.status.phase": "Pending"}, "rollout": {"out.1": expect.ABSENT},
                    "get-deployment": {"status.readyReplicas": 2}, "drain": {"code": 1}}.items():
                values = recorded[step]
                self.assertTrue(changes.keys() <= values.keys(), (step, changes))
                sick = {path: value for path, value in (values | changes).items() if value is not expect.ABSENT}
                with mock.patch("builtins.print"):
                    failures = compare.report(recorded, recorded | {step: sick}, kubectl)
                for path in changes:
                    self.assertTrue(any(failure.startswith(f"{step}: {path}: ") for failure in failures), (kubectl, step, path))

    def test_the_documents_have_the_number_of_compared_commands(self):
        docs = pathlib.Path(compare.__file__).parents[2] / "docs"
        old, current = (len(recorded) for _, recorded in self.recordings())
        for page, text in {"embedded-cluster.md": f"{current} commands of the current kubectl and {old} of Debian's (1.20)",
                                "seed-commands.md": f"{old} commands of kubectl 1.20 and {current} of 1.36"}.items():
            self.assertIn(text, (docs / page).read_text())

    def recordings(self):
        folder = pathlib.Path(compare.__file__).parent / "recorded"
        return [(kubectl, compare.read((folder / f"{kubectl}.txt").read_text())) for kubectl in ("old", "current")]


if __name__ == "__main__":
    unittest.main()

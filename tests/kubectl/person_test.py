"""The script's own rules: what is replaced, and what counts as a difference."""

import unittest
from unittest import mock

import compare
import explained
import normalise


class NormaliserTest(unittest.TestCase):
    def setUp(self):
        self.normaliser = normalise.Normaliser(["kwok-0", "kwok-1"], ["web", "once"])

    def line(self, text, yaml=False):
        return self.normaliser.text(text, yaml)[0]

    def test_ages_and_columns_lose_their_width(self):
        self.assertEqual(self.line("web-6d4f8b7c9f-x2x7z   1/1   Running   3 (5m ago)   2m30s"),
                         "web-HASH-SUFFIX  1/1  Running  3 (AGE ago)  AGE")

    def test_quantities_are_no_ages(self):
        for text in ("      cpu:  100m", '{"cpu":"100m"}', "  cpu  100m (1%)  0 (0%)"):
            self.assertEqual(self.line(text), text)
        self.assertEqual(self.line("  cpu: 100m", yaml=True), "  cpu: 100m")

    def test_names_of_nodes_and_made_up_names(self):
        self.assertEqual(self.line("pod/web-5c5d9 on kwok-1, set web-6d4f8b7c9f, job once-x2x7z, kwok-10"),
                         "pod/web-SUFFIX on node2, set web-HASH, job once-SUFFIX, kwok-10")

    def test_times_addresses_and_versions(self):
        self.assertEqual(self.line('  startTime: "2026-01-02T03:04:05Z"', yaml=True), '  startTime: "TIME"')
        self.assertEqual(self.line("Node: kwok-0/10.0.0.1"), "Node: node1/IP")
        self.assertEqual(self.line('  resourceVersion: "123"', yaml=True), '  resourceVersion: "VERSION"')

    def test_managers_are_sorted_by_name(self):
        text = "managedFields:\n- apiVersion: v1\n  manager: b\n  time: x\n- apiVersion: v1\n  manager: a\n  time: x\nname: n"
        self.assertEqual([line for line in self.normaliser.text(text, yaml=True, owners=True) if "manager:" in line or "name" in line],
                         ["  manager: a", "  manager: b", "name: n"])


    def test_managers_are_left_out_unless_asked_for(self):
        text = "metadata:\n  managedFields:\n  - manager: b\n    time: x\n  name: n"
        self.assertEqual(self.normaliser.text(text, yaml=True), ["metadata:", "  name: n"])


class CompareTest(unittest.TestCase):
    RECORDED = ["== one: kubectl get a", "same", "theirs", "== two: kubectl get b", "gone"]
    GOT = ["== one: kubectl get a", "same", "ours", "== three: kubectl get c"]

    def test_differences_are_told_by_step(self):
        self.assertEqual(list(compare.differences(self.RECORDED, self.GOT)),
                         [("one", "-", "theirs"), ("one", "+", "ours"), ("two", "-", "== two: kubectl get b"),
                          ("two", "-", "gone"), ("three", "+", "== three: kubectl get c")])

    def test_an_explanation_holds_for_its_steps_and_side_only(self):
        entries = [explained.Difference("because", steps="one|three", real=("theirs",), embedded=("^== three",))]
        with mock.patch.object(explained, "DIFFERENCES", entries), mock.patch("builtins.print"):
            self.assertEqual(compare.report(self.RECORDED, self.GOT, "current"),
                             ["one: + ours", "two: - == two: kubectl get b", "two: - gone"])
            self.assertEqual(len(compare.report(self.RECORDED, self.GOT)), 5)

    def test_some_explanations_hold_for_the_old_kubectl_only(self):
        entries = [explained.Difference("because", steps=".*", real=(".",), embedded=(".",), kubectl="old")]
        with mock.patch.object(explained, "DIFFERENCES", entries), mock.patch("builtins.print"):
            self.assertEqual(compare.report(self.RECORDED, self.GOT, "old"), [])
            self.assertEqual(len(compare.report(self.RECORDED, self.GOT, "current")), 5)

    def test_every_explanation_has_a_reason_and_patterns(self):
        for entry in explained.DIFFERENCES:
            self.assertTrue(entry.why and entry.steps and (entry.real or entry.embedded), entry)


if __name__ == "__main__":
    unittest.main()

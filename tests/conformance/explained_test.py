"""Each explanation covers what it is meant for and no similar difference, and each is used."""

import json
import pathlib
import random
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import compare  # noqa: E402
import explained  # noqa: E402
import scenario as scenarios  # noqa: E402
import witnesses  # noqa: E402
from builder import Builder  # noqa: E402

ABSENT = {"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]}
PRESENT = {"matchExpressions": [{"key": "team", "operator": "Exists"}]}


def dump_with(selector):
    term = {"topologyKey": "zone", "labelSelector": {}, "namespaceSelector": selector}
    pod = {"kind": "Pod", "metadata": {"namespace": "a", "name": "p"}, "spec": {"affinity": {"podAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [term]}}}}
    return {"pod": "a/p", "items": [pod]}


def answer(score, outcome="scheduled"):
    """A decision with these scores of InterPodAffinity and ImageLocality for the only node."""
    scores = {"InterPodAffinity": {"weighted": score[0]}, "ImageLocality": {"weighted": score[1]}}
    return {"outcome": outcome, "node": "n", "best": ["n"], "themes": [],
            "nodes": [{"name": "n", "feasible": True, "scores": scores, "total": sum(score)}]}


class EveryNamespace(unittest.TestCase):
    def judge(self, dump, peer, ours, rewritten):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            compare.put(folder, "s", dump, peer)
            for path in folder.glob("s.*dump.json"):
                decision = rewritten if "every-namespace" in path.name else ours
                (folder / path.name.replace("dump", "ours")).write_text(json.dumps(decision))
            used, left = compare.judge(folder, "s", peer)
            return used, [difference.where for difference in left]

    def test_a_difference_that_selecting_all_namespaces_removes_is_explained(self):
        self.assertEqual(self.judge(dump_with(ABSENT), answer((20, 3)), answer((0, 3)), answer((20, 3))),
                         ({"every-namespace"}, []))

    def test_no_difference_is_explained_if_another_plugin_differs_too(self):
        self.assertEqual(self.judge(dump_with(ABSENT), answer((20, 3)), answer((0, 4)), answer((20, 4))),
                         (set(), ["ImageLocality on n", "InterPodAffinity on n", "total on n"]))

    def test_only_selectors_that_match_unlabelled_namespaces_are_explained(self):
        for selector in (PRESENT, {}, {"matchLabels": {"team": "red"}}, None):
            used, left = self.judge(dump_with(selector), answer((20, 3)), answer((0, 3)), answer((20, 3)))
            self.assertEqual((used, len(left)), (set(), 2))

    def test_only_the_terms_of_the_incoming_pod_are_rewritten(self):
        dump = dump_with(ABSENT)
        dump["items"].append({**dump["items"][0], "metadata": {"namespace": "a", "name": "other"}})
        changed = explained.every_namespace(dump)
        self.assertEqual([term["namespaceSelector"] for term in explained.own_terms(changed)], [{}])
        self.assertEqual([term["namespaceSelector"] for term in explained.own_terms(dump)], [ABSENT])
        self.assertEqual(changed["items"][1], dump["items"][1])


class LostClaims(unittest.TestCase):
    def test_only_the_message_of_a_missing_claim_is_explained(self):
        difference = compare.Difference("message", "", "", "")
        answer = {"message": '0/1 nodes are available: claim "x" not found. not found'}
        ours = {"message": '0/1 nodes are available: claim "x" not found. no new claims to deallocate'}
        self.assertEqual(explained.explanation(difference, {}, answer, ours), "lost-claims")
        self.assertIsNone(explained.explanation(difference, {}, answer, {"message": "0/2 nodes are available"}))
        self.assertIsNone(explained.explanation(compare.Difference("outcome", "", "", ""), {}, answer, ours))


def budget(name, allowed, labels, **status):
    return {"kind": "PodDisruptionBudget", "metadata": {"namespace": "a", "name": name},
            "spec": {"selector": {"matchLabels": labels}}, "status": {"disruptionsAllowed": allowed, **status}}


def pod(name, priority, labels, node="n1"):
    return {"kind": "Pod", "metadata": {"namespace": "a", "name": name, "labels": labels},
            "spec": {"priority": priority, "nodeName": node}}


class SeveralBudgets(unittest.TestCase):
    """v1 violates the first budget. 1.36 also charges v1 to the second budget, which then does not allow v2."""

    def setUp(self):
        self.pods = [pod("v1", 5, {"app": "x", "tier": "t"}), pod("v2", 4, {"tier": "t"})]
        self.budgets = [budget("b1", 0, {"app": "x"}), budget("b2", 1, {"tier": "t"})]
        self.peer = {"nominatedNode": "n1", "preemption": {"candidates": [
            {"node": "n1", "victims": ["a/v1", "a/v2"], "pdbViolations": 2}]}}

    def explain(self, where="n1", what="preemption", ours="n1"):
        incoming = {"kind": "Pod", "metadata": {"namespace": "a", "name": "p"}, "spec": {"priority": 9}}
        dump = {"pod": "a/p", "items": [incoming, *self.pods, *self.budgets]}
        return explained.explanation(compare.Difference(what, where, 2, 1), dump, self.peer, {"nominatedNode": ours})

    def test_a_candidate_with_more_violations_by_the_count_of_1_36_is_explained(self):
        self.assertEqual(self.explain(), "several-budgets")
        self.assertEqual(self.explain("victims on n1"), "several-budgets")

    def test_the_choice_that_follows_from_such_a_candidate_is_explained(self):
        self.assertEqual(self.explain("node", ours="n2"), "several-budgets")
        self.peer["nominatedNode"] = "n3"
        self.assertIsNone(self.explain("node", ours="n2"))

    def test_a_number_that_differs_from_the_count_of_1_36_is_not_explained(self):
        self.peer["preemption"]["candidates"][0]["pdbViolations"] = 1
        self.assertIsNone(self.explain())

    def test_nothing_is_explained_if_the_two_counts_agree(self):
        self.budgets[1]["status"]["disruptionsAllowed"] = 2
        self.peer["preemption"]["candidates"][0]["pdbViolations"] = 1
        self.assertIsNone(self.explain())

    def test_nothing_is_explained_for_a_node_without_covered_pods(self):
        self.assertIsNone(self.explain("n2"))

    def test_only_a_difference_of_preemption_is_explained(self):
        self.assertIsNone(self.explain(what="verdict"))

    def test_pods_of_equal_priority_and_disrupted_pods_are_not_counted(self):
        self.pods[0]["spec"]["priority"] = 9
        self.assertIsNone(self.explain())
        self.pods[0]["spec"]["priority"] = 5
        self.budgets[1]["status"]["disruptedPods"] = {"v2": ""}
        self.assertIsNone(self.explain())


class ExplanationsInUse(unittest.TestCase):
    def test_a_run_begins_with_a_scenario_for_every_explanation(self):
        names = [entry.name for entry in explained.EXPLAINED]
        self.assertEqual(sorted(witnesses.PROVOKE), sorted(names))
        made = list(scenarios.make_run(7, 3, 2))
        self.assertEqual([one.name for one in made], [*(f"s7-{name}" for name in witnesses.PROVOKE),
                                                      "s7-00003", "s7-00004"])

    def test_the_scenario_of_every_namespace_needs_its_rewrite(self):
        builder = Builder(random.Random(1), "w")
        witnesses.every_namespace(builder)
        key = f"conf-a/{builder.incoming['metadata']['name']}"
        self.assertIsNotNone(explained.every_namespace(
            {"pod": key, "items": [builder.incoming]}))

    def test_an_explanation_that_is_never_used_fails_the_run(self):
        tally = compare.Tally()
        tally.compared = 1
        tally.explained.update(entry.name for entry in explained.EXPLAINED)
        self.assertFalse(tally.failed())
        tally.explained["lost-claims"] = 0
        self.assertEqual(tally.unused(), ["lost-claims"])
        self.assertTrue(tally.failed())


if __name__ == "__main__":
    unittest.main()

"""Tests without a control plane: reading kube-scheduler's log, comparing, generating and shrinking scenarios."""

import copy
import json
import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import compare  # noqa: E402
import kube_scheduler  # noqa: E402
import peer as peers  # noqa: E402
import regressions  # noqa: E402
import scenario as scenarios  # noqa: E402

SCHEDULED = {
    "pod": "a/p", "outcome": "scheduled", "node": "n1", "themes": ["taints"], "reasons": {"Insufficient cpu": 1},
    "nodes": [
        {"name": "n1", "feasible": True, "scores": {"NodeResourcesFit": {"weighted": 90}, "DynamicResources": {
            "weighted": 0}}, "total": 90},
        {"name": "n2", "feasible": True, "scores": {"NodeResourcesFit": {"weighted": 90}}, "total": 90},
        {"name": "n3", "feasible": False, "code": "Unschedulable"}]}
OURS = {
    "pod": "a/p", "outcome": "scheduled", "node": "n2", "best": ["n1", "n2"],
    "nodes": [
        {"name": "n1", "feasible": True, "scores": {"NodeResourcesFit": {"raw": 90, "normalized": 90, "weighted": 90}},
         "total": 90},
        {"name": "n2", "feasible": True, "scores": {"NodeResourcesFit": {"raw": 90, "normalized": 90, "weighted": 90}},
         "total": 90},
        {"name": "n3", "feasible": False, "plugin": "NodeResourcesFit", "code": "Unschedulable",
         "reasons": ["Insufficient cpu"]}]}
NOMINATED = {
    "pod": "a/p", "outcome": "nominated", "message": "0/2 nodes are available: 2 Insufficient cpu.",
    "nominatedNode": "n1", "victims": ["a/x"], "preemption": {"candidates": [
        {"node": "n1", "victims": ["a/x"], "pdbViolations": 0}, {"node": "n2", "victims": ["a/y"], "pdbViolations": 0}]}}
OURS_NOMINATED = {
    "pod": "a/p", "outcome": "nominated", "message": "0/2 nodes are available: 2 Insufficient cpu.",
    "nominatedNode": "n2", "victims": ["a/y"], "preemption": {"candidates": [
        {"node": "n1", "victims": ["a/x"], "rank": [0, 5, 5, 1, "t"]},
        {"node": "n2", "victims": ["a/y"], "rank": [0, 5, 5, 1, "t"]}]}}


def kinds(peer, ours):
    return [difference.what for difference in compare.differences(peer, ours)]


class DifferencesTest(unittest.TestCase):
    def setUp(self):
        self.ours = copy.deepcopy(OURS)
        self.nominated = copy.deepcopy(OURS_NOMINATED)

    def test_a_choice_among_our_best_nodes_is_not_a_difference(self):
        self.assertEqual(kinds(SCHEDULED, self.ours), [])

    def test_a_choice_outside_our_best_nodes_is_a_difference(self):
        self.ours["best"] = ["n2"]
        self.assertEqual(kinds(SCHEDULED, self.ours), ["choice"])

    def test_another_outcome_is_a_difference(self):
        self.ours["outcome"] = "unschedulable"
        self.assertEqual(kinds(SCHEDULED, self.ours), ["outcome"])

    def test_another_feasibility_of_a_node_is_a_difference_of_verdict_and_reasons(self):
        self.ours["nodes"][2] = {"name": "n3", "feasible": True}
        self.assertEqual(kinds(SCHEDULED, self.ours), ["verdict", "reasons"])

    def test_a_node_that_is_missing_in_our_decision_is_a_difference(self):
        del self.ours["nodes"][0]
        self.assertEqual(kinds(SCHEDULED, self.ours), ["verdict"])

    def test_another_score_and_another_total_are_differences(self):
        self.ours["nodes"][0]["scores"]["NodeResourcesFit"]["weighted"] = 91
        self.ours["nodes"][0]["total"] = 91
        self.assertEqual(kinds(SCHEDULED, self.ours), ["score", "score"])

    def test_a_nonzero_score_of_a_plugin_that_only_we_ran_is_a_difference(self):
        self.ours["nodes"][1]["scores"]["ImageLocality"] = {"weighted": 3}
        self.assertEqual(kinds(SCHEDULED, self.ours), ["score"])

    def test_another_status_code_is_a_difference(self):
        self.ours["nodes"][2]["code"] = "UnschedulableAndUnresolvable"
        self.assertEqual(kinds(SCHEDULED, self.ours), ["code"])

    def test_another_reason_is_a_difference(self):
        self.ours["nodes"][2]["reasons"] = ["Insufficient memory"]
        self.assertEqual(kinds(SCHEDULED, self.ours), ["reasons"])

    def test_a_feasible_node_that_a_shortened_search_did_not_find_is_a_difference(self):
        peer = copy.deepcopy(SCHEDULED)
        del peer["nodes"][1:], peer["reasons"]
        self.assertEqual(kinds(peer, self.ours), ["verdict"])
        self.ours["nodes"][1] = {"name": "n2", "feasible": False}
        self.assertEqual(kinds(peer, self.ours), [])

    def test_nodes_are_not_compared_when_only_the_nominated_node_was_filtered(self):
        self.ours["nodes"] = [{"name": "n1", "feasible": True}]
        self.assertEqual(kinds({**SCHEDULED, "onlyNominated": True}, self.ours), [])

    def test_another_candidate_of_the_same_rank_is_not_a_difference(self):
        self.assertEqual(kinds(NOMINATED, self.nominated), [])

    def test_a_candidate_of_another_rank_is_a_difference(self):
        self.nominated["preemption"]["candidates"][0]["rank"][2] = 6
        self.assertEqual(kinds(NOMINATED, self.nominated), ["preemption"])

    def test_other_victims_are_a_difference(self):
        self.nominated["preemption"]["candidates"][1]["victims"] = ["a/z"]
        self.assertEqual(kinds(NOMINATED, self.nominated), ["preemption"])

    def test_another_number_of_budget_violations_is_a_difference(self):
        for candidate in self.nominated["preemption"]["candidates"]:
            candidate["rank"][0] = 1
        self.assertEqual(kinds(NOMINATED, self.nominated), ["preemption", "preemption"])

    def test_another_message_is_a_difference(self):
        self.nominated["message"] += " "
        self.assertEqual(kinds(NOMINATED, self.nominated), ["message"])

    def test_the_results_of_a_folder_are_counted_by_theme(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for number, best in enumerate((["n1"], ["n2"])):
                compare.put(folder, f"s{number}", {"items": []}, SCHEDULED)
                (folder / f"s{number}.ours.json").write_text(json.dumps({**self.ours, "best": best}))
            tally = compare.Tally()
            for found in compare.names_in(folder):
                tally.take(folder, found)
        self.assertEqual([name for name, _ in tally.unexplained], ["s1"])
        self.assertEqual(tally.by_theme["taints"], {"scenarios": 2, "scheduled": 2, "differing": 1})


class SchedulerLogTest(unittest.TestCase):
    def test_a_log_line_is_parsed_into_message_and_values(self):
        line = ('I1115 07:50:54.743908   23651 schedule_one.go:1239] "Unable to schedule pod; no fit; waiting" '
                'pod="a/p" err="0/4 nodes are available: persistentvolumeclaim \\"x\\" not found. not found" n=4')
        self.assertEqual(kube_scheduler.parse(line), ("Unable to schedule pod; no fit; waiting", {
            "pod": "a/p", "n": "4", "err": '0/4 nodes are available: persistentvolumeclaim "x" not found. not found'}))
        self.assertIsNone(kube_scheduler.parse("apiVersion: kubescheduler.config.k8s.io/v1"))

    def test_reasons_are_counted_without_the_reason_of_the_probe(self):
        self.assertEqual(peers.reasons_in(
            "0/7 nodes are available: 1 Insufficient example.com/gpu, 2 node(s) had untolerated taint(s), "
            f"4 {kube_scheduler.PROBE_REASON}. no new claims to deallocate, preemption: not eligible."),
            {"Insufficient example.com/gpu": 1, "node(s) had untolerated taint(s)": 2})
        self.assertEqual(peers.reasons_in(f"0/1 nodes are available: 1 {kube_scheduler.PROBE_REASON}."), {})

    def test_nodes_of_a_dump_are_in_the_order_in_which_kube_scheduler_saw_them(self):
        dump = [{"kind": "Namespace", "metadata": {"name": "a"}},
                *({"kind": "Node", "metadata": {"name": name}} for name in ("n1", "n2", "n3"))]
        lines = [(peers.SEEN_NODE, {"node": name}) for name in ("n3", "n1", "n2", "n3")]
        self.assertEqual([item["metadata"]["name"] for item in peers.in_the_order_seen(dump, lines)],
                         ["a", "n3", "n1", "n2"])

    def test_nodes_are_interleaved_by_zone_and_a_search_starts_at_the_first_node_it_found(self):
        def node(name, zone, region="r"):
            return {"kind": "Node", "metadata": {"name": name, "labels": {
                "topology.kubernetes.io/zone": zone, "topology.kubernetes.io/region": region}}}
        old = node("old", "a")
        old["metadata"]["labels"]["failure-domain.beta.kubernetes.io/zone"] = "b"
        nodes = [node("b1", "b"), node("b2", "b"), node("b3", "b"), node("a1", "a"), node("x1", "a", "s"), old]
        self.assertEqual(peers.zone_interleaved(nodes), ["b1", "a1", "x1", "b2", "b3", "old"])
        self.assertEqual(peers.start_of(nodes, {"found": ["b3", "old", "b1"]}), 4)
        self.assertEqual(peers.start_of(nodes, {}), 0)

    def test_the_potential_nodes_of_preemption_are_read_from_the_log(self):
        ineligible = [("Pod is not eligible for preemption", {"pod": "a/p"})]
        self.assertIsNone(peers.potential_nodes(ineligible, "a/p"))
        self.assertEqual(peers.potential_nodes(
            [("Preemption will not help schedule pod on any node", {"pod": "a/p"})], "a/p"), set())
        self.assertEqual(peers.potential_nodes(
            [("Dry run the preemption", {"pod": "a/p"}),
             ("Check the potential node for preemption", {"pod": "a/p", "node": "n1"}),
             ("Check the potential node for preemption", {"pod": "a/q", "node": "n2"})], "a/p"), {"n1"})


class ScenarioTest(unittest.TestCase):
    def test_the_same_seed_and_number_give_the_same_scenario(self):
        self.assertEqual(scenarios.make(3, 17), scenarios.make(3, 17))
        self.assertNotEqual(scenarios.make(3, 17).incoming, scenarios.make(4, 17).incoming)

    def test_two_hundred_scenarios_cover_every_theme(self):
        drawn = {theme for number in range(200) for theme in scenarios.make(1, number).themes}
        self.assertEqual(drawn, {*scenarios.WEIGHTS, "large"})

    def test_two_hundred_scenarios_cover_every_profile(self):
        drawn = {scenarios.make(1, number).profile for number in range(200)}
        self.assertEqual(drawn, {*scenarios.PROFILES, *scenarios.SAMPLING})
        self.assertEqual(drawn, set(re.findall(r"(?m)^- schedulerName: (\S+)$", compare.PROFILES.read_text())))

    def test_only_scenarios_with_many_nodes_have_shortened_searches(self):
        sampled = [made for made in (scenarios.make(1, number) for number in range(200)) if made.sampled]
        self.assertGreater(len(sampled), 3)
        self.assertGreater(min(len(made.nodes) for made in sampled), 100)
        self.assertEqual({made.profile for made in sampled}, set(scenarios.SAMPLING))

    def test_no_node_selector_contradicts_the_runtime_class(self):
        specs = [scenarios.make(893786597, number).incoming["spec"] for number in (173, *range(2000, 2400))]
        together = [spec for spec in specs if spec.get("runtimeClassName") == "conf-pool" and "nodeSelector" in spec]
        self.assertTrue(together, "the test needs a scenario with both")
        self.assertEqual({spec["nodeSelector"].get("pool", "a") for spec in together}, {"a"})

    def test_pods_of_one_node_have_different_start_times(self):
        for number in range(200):
            scenario = scenarios.make(2, number)
            seen = set()
            for pod in scenario.pods:
                if "startTime" in pod.get("_status", {}):
                    at = (pod["spec"]["nodeName"], pod["_status"]["startTime"])
                    self.assertNotIn(at, seen)
                    seen.add(at)


class ShrinkTest(unittest.TestCase):
    def test_only_the_objects_that_the_difference_needs_remain(self):
        scenario = next(made for made in (scenarios.make(1, number) for number in range(100))
                        if len(made.pods) > 8 and len(made.nodes) > 3 and not made.nominees and not made.nominated)
        needed = scenario.pods[3]["metadata"]["name"]

        def still_differs(candidate):
            return any(pod["metadata"]["name"] == needed for pod in candidate.pods)

        small = regressions.shrink(scenario, still_differs)
        self.assertEqual([pod["metadata"]["name"] for pod in small.pods], [needed])
        self.assertEqual([node["metadata"]["name"] for node in small.nodes], [scenario.pods[3]["spec"]["nodeName"]])
        self.assertEqual(small.objects, [])


if __name__ == "__main__":
    unittest.main()

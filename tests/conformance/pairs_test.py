"""Recording and replaying pairs, seeds, and differences that vanish. No control plane, no binary."""

import argparse
import contextlib
import copy
import importlib.machinery
import importlib.util
import io
import json
import lzma
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import compare  # noqa: E402
import explained  # noqa: E402
import pairs  # noqa: E402
import scenario as scenarios  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("conformance_run", str(HERE / "run"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("conformance_run", LOADER))
LOADER.exec_module(run)

# In place of the rescheduler: "explain --config FILE --batch DIR" sends every pod to the node in its dump.
FAKE = """#!/usr/bin/env python3
import json, pathlib, sys
assert sys.argv[1:3] == ["explain", "--config"] and sys.argv[4] == "--batch", sys.argv
assert pathlib.Path(sys.argv[3]).read_text() == "profiles: []", sys.argv
for path in pathlib.Path(sys.argv[5]).glob("*.dump.json"):
    node = json.loads(path.read_text())["expected"]
    path.with_name(path.name.replace("dump", "ours")).write_text(
        json.dumps({"outcome": "scheduled", "node": node, "best": [node]}))
"""


def dump(node, uid="11111111-2222-4333-8444-555555555555"):
    return {"pod": "a/p", "expected": node, "items": [
        {"kind": "Pod", "metadata": {"namespace": "a", "name": "p", "uid": uid, "resourceVersion": "17",
                                     "creationTimestamp": "2026-01-01T00:00:00Z",
                                     "ownerReferences": [{"uid": uid}]}, "spec": {}}]}


def peer(node):
    return {"outcome": "scheduled", "node": node, "themes": ["t"]}


class PairsTestCase(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.file = self.folder / "pairs.jsonl.xz"
        self.fake = self.folder / "fake"
        self.fake.write_text(FAKE)
        self.fake.chmod(0o755)
        self.kept = self.folder / "kept"
        self.kept.mkdir()
        explanations = explained.EXPLAINED
        explained.EXPLAINED = []
        self.addCleanup(setattr, explained, "EXPLAINED", explanations)

    def keep(self, answers):
        (self.kept / pairs.RUN).write_text(json.dumps(
            {"seed": 5, "kubernetes": "Kubernetes v1", "profiles": "profiles: []"}))
        for number, node in enumerate(answers):
            compare.put(self.kept, f"s{number}", dump("n1"), peer(node))

    def replayed(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            tally = pairs.replay(self.file, str(self.fake))
        return tally, out.getvalue()


class PairsFile(PairsTestCase):
    def test_packed_pairs_are_replayed_with_their_recorded_profiles(self):
        self.keep(["n1", "n1"])
        self.assertEqual(pairs.pack(self.kept, self.file)["pairs"], 2)
        tally, out = self.replayed()
        self.assertEqual((tally.compared, tally.failed()), (2, False))
        self.assertIn("2 decided, 2 compared, 0 differ", out)
        self.assertIn("recorded from Kubernetes v1, seed 5", out)

    def test_a_recorded_decision_that_differs_from_ours_fails(self):
        self.keep(["n1", "n2"])
        pairs.pack(self.kept, self.file)
        tally, out = self.replayed()
        self.assertEqual([name for name, _ in tally.unexplained], ["s1"])
        self.assertTrue(tally.failed())
        self.assertIn("choice: kube-scheduler 'n2', ours ['n1']", out)

    def test_a_truncated_file_is_an_error(self):
        self.keep(["n1", "n1"])
        pairs.pack(self.kept, self.file)
        lines = lzma.decompress(self.file.read_bytes()).splitlines(keepends=True)
        self.file.write_bytes(lzma.compress(b"".join(lines[:-1])))
        with self.assertRaisesRegex(ValueError, "has 1 pairs and says that it has 2"):
            pairs.unpack(self.file, self.kept)

    def test_random_values_are_removed_and_uids_still_identify_the_same_object(self):
        made = pairs.lean(dump("n1"))
        other = pairs.lean(dump("n1", uid="99999999-2222-4333-8444-555555555555"))
        self.assertEqual(made, other)
        metadata = made["items"][0]["metadata"]
        self.assertEqual(metadata["ownerReferences"], [{"uid": metadata["uid"]}])
        self.assertNotIn("resourceVersion", metadata)

    def test_the_recorded_file_has_all_profiles_and_shortened_searches(self):
        with lzma.open(pairs.FILE, "rt") as lines:
            about, *recorded = map(json.loads, lines)
        self.assertGreaterEqual(len(recorded), 2000)
        self.assertEqual({pair["peer"]["profile"] for pair in recorded}, {*scenarios.PROFILES, *scenarios.SAMPLING})
        early = [pair for pair in recorded if 100 <= len(pair["peer"].get("found", [])) < sum(
            item["kind"] == "Node" for item in pair["dump"]["items"])]
        self.assertGreater(len(early), 20)
        for pair in early:
            self.assertIn("nextStartNodeIndex", pair["dump"])
        self.assertIn("percentageOfNodesToScore", about["profiles"])


class FakePeer:
    """A kube-scheduler with prepared answers, returned one after another."""

    def __init__(self, answers):
        self.answers = list(answers)
        self.scheduler = argparse.Namespace(version="Kubernetes v1")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def decide(self, _scenario):
        return copy.deepcopy(dump("n1")), peer(self.answers.pop(0))


class RunCommand(PairsTestCase):
    def run_with(self, answers, scenarios_made=2):
        made = [argparse.Namespace(name=f"s{number}") for number in range(scenarios_made)]
        for module, name, value in ((run.peers, "Peer", lambda _rig: FakePeer(answers)),
                                    (run.scenarios, "make_run", lambda *_: made),
                                    (compare, "PROFILES", self.folder / "profiles.yaml")):
            self.addCleanup(setattr, module, name, getattr(module, name))
            setattr(module, name, value)
        (self.folder / "profiles.yaml").write_text("profiles: []")
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = run.main(["--scenarios", "2", "--seed", "5", "--ours", str(self.fake), "--keep", str(self.kept)])
        return code, out.getvalue()

    def test_a_run_without_differences_passes_and_prints_the_seed(self):
        code, out = self.run_with(["n1", "n1"])
        self.assertEqual(code, 0, out)
        self.assertIn("RESCHEDULER_SEED=5", out)

    def test_a_difference_that_vanishes_is_counted_and_fails(self):
        code, out = self.run_with(["n2", "n1", "n1"])
        self.assertEqual(code, 1, out)
        self.assertIn("vanished: the difference of s0", out)
        self.assertIn("1 of 1 differences vanished on a second try", out)

    def test_a_difference_that_remains_is_not_counted_as_vanished(self):
        code, out = self.run_with(["n2", "n1", "n2"])
        self.assertEqual(code, 1, out)
        self.assertIn("0 of 1 differences vanished on a second try", out)

    def test_the_files_that_a_run_keeps_can_be_packed(self):
        self.run_with(["n1", "n1"])
        self.assertEqual(pairs.pack(self.kept, self.file), {
            "seed": 5, "kubernetes": "Kubernetes v1", "profiles": "profiles: []", "pairs": 2})

    def test_the_seed_comes_from_the_option_the_environment_or_chance(self):
        self.assertEqual(run.seed_of(7, {"RESCHEDULER_SEED": "8"}), 7)
        self.assertEqual(run.seed_of(None, {"RESCHEDULER_SEED": "8"}), 8)
        self.assertNotEqual(run.seed_of(None, {}), run.seed_of(None, {}))


if __name__ == "__main__":
    unittest.main()

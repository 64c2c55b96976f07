#!/usr/bin/env python3
"""The rules of the benchmarks: alternating rounds, medians and ranges, refusal of builds that are not release builds, tables."""

import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from descheduler_parts import contenders, report as descheduler_report  # noqa: E402
from peers_parts import measure, report as peers_report  # noqa: E402
from repeatable import about, release, rounds  # noqa: E402
from repeatable.failed import Failed  # noqa: E402

RELEASE = "# a comment\n//help\nCMAKE_BUILD_TYPE:STRING=Release\nRESCHEDULER_LTO:BOOL=ON\nRESCHEDULER_SANITIZE:STRING=\n"


def script(name):
    """Loads the script of a benchmark as a module: these scripts have no suffix."""
    loader = importlib.machinery.SourceFileLoader(f"bench_{name}", str(HERE / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Rounds(unittest.TestCase):
    def test_every_round_begins_with_another_contender(self):
        names = ["a", "b", "c"]
        self.assertEqual([rounds.order(names, number) for number in (1, 2, 3, 4)],
                         [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["a", "b", "c"]])

    def test_two_contenders_alternate(self):
        self.assertEqual([rounds.order(["a", "b"], number)[0] for number in (1, 2, 3)], ["a", "b", "a"])

    def test_the_median_comes_with_the_range(self):
        self.assertEqual(rounds.median_and_range([706, 752, 573]), "706 (573 to 752)")
        self.assertEqual(rounds.median_and_range([1.5, 2.5], 2), "2.00 (1.50 to 2.50)")

    def test_equal_rounds_have_no_range(self):
        self.assertEqual(rounds.median_and_range([2.001, 2.002, 2.0], 2), "2.00")

    def test_a_ratio_is_the_ratio_of_the_medians(self):
        self.assertEqual(rounds.times([10, 30, 20], [5, 10, 100]), "2.00x")

    def parsed(self, *words):
        parser = argparse.ArgumentParser()
        rounds.add_options(parser)
        arguments = parser.parse_args(words)
        rounds.check_options(parser, arguments)
        return arguments

    def test_three_rounds_are_the_default_and_the_minimum(self):
        self.assertEqual(self.parsed().rounds, 3)
        self.assertEqual(self.parsed("--rounds", "7").rounds, 7)
        output = io.StringIO()
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(output):
            self.parsed("--rounds", "2")
        self.assertIn("at least 3 rounds", output.getvalue())

    def test_a_quick_run_has_one_round_and_says_that_it_measures_nothing(self):
        self.assertEqual(self.parsed("--quick").rounds, 1)
        self.assertIn("measures nothing", about.how_many(1))
        self.assertIn("of 5 rounds", about.how_many(5))


class ReleaseOnly(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = pathlib.Path(folder.name)
        self.binary = self.build / "src" / "cli" / "rescheduler"
        self.binary.parent.mkdir(parents=True)
        self.binary.write_text("#!/bin/sh\necho measured\nexit ${1:-0}\n")
        self.binary.chmod(0o755)

    def configured(self, cache):
        (self.build / "CMakeCache.txt").write_text(cache)

    def refused(self, because):
        with self.assertRaisesRegex(Failed, because):
            release.require(self.binary)

    def test_a_release_build_is_accepted(self):
        self.configured(RELEASE)
        release.require(self.binary)

    def test_another_build_type_is_refused(self):
        self.configured(RELEASE.replace("=Release", "=Dev"))
        self.refused("not a release build .CMAKE_BUILD_TYPE is 'Dev'")

    def test_a_build_without_link_time_optimisation_is_refused(self):
        self.configured(RELEASE.replace("LTO:BOOL=ON", "LTO:BOOL=OFF"))
        self.refused("RESCHEDULER_LTO is 'OFF'")

    def test_a_build_with_a_sanitizer_is_refused(self):
        self.configured(RELEASE.replace("SANITIZE:STRING=", "SANITIZE:STRING=address"))
        self.refused("RESCHEDULER_SANITIZE is 'address'")

    def test_a_binary_outside_a_build_folder_is_refused(self):
        self.refused("in no CMake build folder")

    def test_a_missing_binary_is_refused(self):
        self.binary.unlink()
        self.refused("does not exist")

    def run_it(self, *words):
        return subprocess.run([sys.executable, "-B", HERE / "run", *words], capture_output=True, text=True, timeout=60)

    def test_run_prints_the_commit_the_date_and_the_build_type(self):
        self.configured(RELEASE)
        done = self.run_it(self.binary)
        self.assertEqual((done.returncode, done.stdout.splitlines()[1]), (0, "measured"), done.stderr)
        self.assertRegex(done.stdout, r"^Commit \S+, \d{4}-\d\d-\d\d, release build\.")

    def test_run_can_measure_a_binary_through_another_program(self):
        self.configured(RELEASE)
        done = self.run_it("--of", self.binary, "echo", "seen")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (0, "seen"), done.stderr)

    def test_run_refuses_a_build_that_is_not_a_release_build(self):
        self.configured(RELEASE.replace("=Release", "=Dev"))
        for words in ([self.binary], ["--of", self.binary, "echo", "measured"]):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_run_names_the_section_about_data_if_data_is_missing(self):
        self.configured(RELEASE)
        done = self.run_it(self.binary, "77")
        self.assertEqual(done.returncode, 77)
        self.assertIn("docs/benchmarks.md#data", done.stderr)

    def test_every_script_refuses_other_builds_in_one_line(self):
        for name, binary in (("sync", "bench/sync_bench"), ("peers", "src/cli/rescheduler"), ("moves", "bench/migration_bench"),
                             ("descheduler", "src/cli/rescheduler"), ("scenarios", "src/cli/embedded_scheduler_test")):
            with self.subTest(name):
                self.configured(RELEASE.replace("=Release", "=Dev"))
                path = self.build / binary
                path.parent.mkdir(exist_ok=True)
                path.touch()
                done = subprocess.run([sys.executable, "-B", HERE / name, "--build", self.build], capture_output=True, text=True,
                                      timeout=60)
                self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                self.assertRegex(done.stderr, r"\Abench/\w+: .*not a release build.*\n\Z")


class RoundOrder(unittest.TestCase):
    """The scripts themselves, with every slow part replaced: which contenders are measured, in which order."""

    def setUp(self):
        self.seen = []
        self.output = io.StringIO()
        self.enterContext(contextlib.redirect_stdout(self.output))

    def begins_each_round(self, contenders_count):
        return self.seen[::contenders_count]

    def test_each_contender_of_peers_begins_a_round(self):
        peers = script("peers")
        arguments = peers.parse(["--rounds", "3", "--pods", "10"])

        def one_round(plane, workload, nodes, pods, name, arguments):
            self.seen.append(name)
            return {"pods_per_second": 1.0, "bound": pods}

        with mock.patch.object(peers, "one_round", one_round), mock.patch.object(peers.measure, "clean"):
            peers.compare(mock.Mock(), peers.workloads.WORKLOADS["plain"], 10, list(peers.CONTENDERS), arguments)
        self.assertEqual(len(self.seen), 9)
        self.assertEqual(set(self.begins_each_round(3)), {measure.BARE, measure.OURS, measure.KUBE_SCHEDULER})

    def test_each_contender_of_descheduler_begins_a_round(self):
        descheduler = script("descheduler")

        def one(plane, name, arguments):
            self.seen.append(name)
            spread = {"cpu": [1, 2], "memory": [3, 4]}
            return {"who": name, "pods": 5, "ended": 1, "waiting": 0, "seconds": 1, "settled": True, "peak_mb": {"x": 1},
                    "before": spread, "after": spread}

        with mock.patch.object(descheduler, "one", one), mock.patch.object(descheduler, "ControlPlane", mock.MagicMock()):
            descheduler.run(descheduler.parse([]), pathlib.Path("."))
        self.assertEqual(len(self.seen), 9)
        self.assertEqual(self.begins_each_round(3), ["descheduler", "ours", "descheduler-ours"])
        self.assertIn("| descheduler, our scheduler | 1 |", self.output.getvalue())

    def test_the_contenders_of_sync_alternate(self):
        sync = script("sync")

        def run_json(argv):
            self.seen.append("client-go" if str(argv[0]).endswith("reflector") else "rescheduler")
            return {"objects": 7} | dict.fromkeys(("sync_seconds", "cpu_seconds", "peak_rss_bytes", "rss_bytes"), 1)

        done = mock.Mock(returncode=0)
        with mock.patch.object(sync, "run_json", run_json), mock.patch.object(sync.subprocess, "run", return_value=done):
            sync.measure(sync.parse(["--pods", "7"]), "sync_bench", {"kubeconfig": "k", "bin_dir": "b"})
        self.assertEqual(self.begins_each_round(2), ["client-go", "rescheduler", "client-go", "rescheduler", "client-go"])

    def test_sync_refuses_a_peer_that_keeps_managed_fields(self):
        sync = script("sync")
        answer = {"objects": 7, "objects_with_managed_fields": 7}
        done = mock.Mock(returncode=0)
        with mock.patch.object(sync, "run_json", return_value=answer), mock.patch.object(sync.subprocess, "run", return_value=done):
            with self.assertRaisesRegex(Failed, "managed fields"):
                sync.measure(sync.parse(["--pods", "7"]), "sync_bench", {"kubeconfig": "k", "bin_dir": "b"})

    def test_the_ways_of_moves_alternate(self):
        moves = script("moves")

        def measured(program, test, arguments):
            self.seen.append(test)
            counts = dict.fromkeys(("moves", "succeeded", "accurate", "below_budget", "late", "median_seconds"), 1)
            return [counts | {"disturbed": disturbed} for disturbed in (False, True)]

        with mock.patch.object(moves, "measure", measured), mock.patch.object(moves.release, "require"):
            self.assertEqual(moves.main([]), 0)
        self.assertEqual(self.begins_each_round(5), list(moves.REAL)[:3])


class Tables(unittest.TestCase):
    def test_peers_shows_each_contender_with_its_range_and_ours_with_the_ratio(self):
        def measured(speeds, cpu):
            return [{"pods_per_second": speed, "cpu_ms": cpu, "peak_mb": 40, "requests": 2, "server_cpu_ms": 3, "bound": 100}
                    for speed in speeds]

        result = {"workload": "plain", "nodes": 1000, "pods": 100, "failed": {measure.OURS: 1}, "rounds": {
            measure.BARE: [{"pods_per_second": 1000, "bound": 100}], measure.KUBE_SCHEDULER: measured([290, 300, 310], 3),
            measure.OURS: measured([600, 900, 700], 0.3)}}
        bare, peer, ours = peers_report.rows(result)
        self.assertEqual(bare[:5], ["plain", "1000", "100", "bare binding", "1000"])
        self.assertEqual(peer[3:7], ["kube-scheduler", "300 (290 to 310)", "0.30", "3.00"])
        self.assertEqual(ours[3:7], ["rescheduler", "700 (600 to 900), 2.33x", "0.70", "0.30, 0.10x"])
        self.assertEqual(len({len(line) for line in (bare, peer, ours, peers_report.HEADINGS)}), 1)
        self.assertEqual(list(peers_report.left_over(result)), ["plain, 1000 nodes: rescheduler failed in 1 rounds."])

    def test_peers_shows_our_row_if_the_peer_has_no_result(self):
        ours = {"pods_per_second": 45, "cpu_ms": 1, "peak_mb": 2, "requests": 3, "server_cpu_ms": 4, "bound": 90}
        result = {"workload": "preemption", "nodes": 5, "pods": 100, "failed": {}, "rounds": {measure.OURS: [ours]}}
        self.assertEqual(peers_report.rows(result), [["preemption", "5", "100", "rescheduler", "45", "-", "1.00", "2", "3.00", "4.00"]])
        self.assertEqual(list(peers_report.left_over(result)),
                         ["preemption, 5 nodes: rescheduler bound 90 of 100 pods in its worst round."])

    def test_descheduler_with_our_scheduler_has_its_own_row(self):
        def result(who, ended, settled=True):
            return {"who": who, "ended": ended, "waiting": 0, "seconds": 20, "settled": settled, "peak_mb": {"x": 80},
                    "before": {"cpu": [31.7, 97.5], "memory": [27.1, 86.7]}, "after": {"cpu": [4, 55], "memory": [3, 44]}}

        results = [result(name, ended) for ended in (10, 30, 20) for name in contenders.ALL]
        lines = descheduler_report.as_table(results[:-1] + [result("descheduler-ours", 20, settled=False)]).splitlines()
        self.assertEqual([line.split(" | ")[0].strip("| ") for line in lines[2:]],
                         ["at the start", "descheduler, kube-scheduler", "ours", "descheduler, our scheduler"])
        self.assertEqual(lines[4], "| ours | 20 (10 to 30) | 4.0 | 55.0 | 3.0 | 44.0 | 20 | x 80 |")
        self.assertIn("20, not settled in 1 of 3", lines[5])

    def test_sync_compares_medians(self):
        def run(seconds, memory):
            return {"sync_seconds": seconds, "cpu_seconds": seconds, "peak_rss_bytes": memory * 2**20, "rss_bytes": memory * 2**20}

        lines = script("sync").as_table({"client-go": [run(2, 400), run(3, 404), run(2.5, 402)],
                                         "rescheduler": [run(1, 50)] * 3}).splitlines()
        self.assertEqual(lines[2], "| client-go | 2.50 (2.00 to 3.00) s | 2.50 (2.00 to 3.00) s "
                                   "| 402.0 (400.0 to 404.0) MiB | 402.0 (400.0 to 404.0) MiB |")
        self.assertEqual(lines[4], "| rescheduler over client-go | 0.40x | 0.40x | 0.12x | 0.12x |")

    def test_moves_adds_up_counts_and_shows_the_range_of_shares(self):
        moves = script("moves")

        def line(succeeded, accurate):
            return (f'{{"disturbed":false,"moves":10,"succeeded":{succeeded},"accurate":{accurate},"below_budget":1,"late":0,'
                    '"median_seconds":4.5}')

        lines = moves.measured_lines("\n".join(["[ RUN      ]", line(10, 9), line(8, 4), line(10, 10)]))
        self.assertEqual(moves.row("ours", False, lines), ["ours", "calm", "30", "100.0 (80.0 to 100.0)",
                                                           "90.0 (50.0 to 100.0)", "90.0 (40.0 to 100.0)", "3", "0", "4.5"])

    def test_scenarios_reads_the_courses_that_tests_recorded(self):
        report = {"testsuites": [{"testsuite": [{"name": "A", "courses": "moved: 1\nleft: 2"}, {"name": "B"}]}]}
        self.assertEqual(script("scenarios").courses(report), [("A", "moved: 1\nleft: 2")])


class PublicData(unittest.TestCase):
    """bench/load_replay/from_public: converts the publishers' files to ours."""

    def setUp(self):
        self.data = script("load_replay/from_public")

    def test_each_virtual_machine_and_day_is_a_row(self):
        text = "\n".join(["7"] * 288) + "\n"
        header, first, second, other = self.data.planetlab_rows({"20110303": [text, text], "20110306": [text]})
        self.assertEqual(header[:3] + header[-1:], ["day", "vm", "t0", "t287"])
        self.assertEqual([row[:3] for row in (first, second, other)],
                         [["20110303", 0, "7"], ["20110303", 1, "7"], ["20110306", 0, "7"]])
        self.assertEqual(len(first), len(header))

    def test_an_incomplete_day_is_refused(self):
        with self.assertRaisesRegex(ValueError, "virtual machine 0 of day 20110303 has 2 samples"):
            list(self.data.planetlab_rows({"20110303": ["1 2"]}))

    def test_readings_of_a_pod_are_averaged_over_285_seconds(self):
        readings = [("b", 1000, 0.5), ("a", 1000, 0.1), ("b", 1284, 0.7), ("b", 1285, 0.9), ("a", 2000, 0.2)]
        self.assertEqual(list(self.data.genai_rows(readings)), [
            ["pod", "t", "mem_pct"], [0, 0, "60.0"], [0, 285, "90.0"], [1, 0, "10.0"], [1, 855, "20.0"]])


class BenchmarksPage(unittest.TestCase):
    """docs/benchmarks.md: every number has a command and a commit."""

    def setUp(self):
        self.page = (about.ROOT / "docs" / "benchmarks.md").read_text()

    def test_the_page_names_exactly_the_targets_of_bench_mk(self):
        made = set(re.findall(r"^(bench-[a-z-]+):", (HERE / "bench.mk").read_text(), re.M))
        self.assertEqual(made, set(re.findall(r"make (bench-[a-z-]+)", self.page)))

    def test_every_section_with_a_table_names_its_command_and_its_commit(self):
        for section in re.split(r"^#+ ", self.page, flags=re.M)[1:]:
            title, _, text = section.partition("\n")
            if "|---" in text and title not in ("Rules", "Data"):
                with self.subTest(title):
                    self.assertRegex(text, r"`make bench-[a-z-]+")
                    self.assertRegex(text, r"[Cc]ommit `[0-9a-f]{7}`")


if __name__ == "__main__":
    unittest.main()

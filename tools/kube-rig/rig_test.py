"""Tests without Go and Kubernetes: etcd and the Go compiler are fakes.

rig_cluster_test.py has the tests with real components.
"""

import io
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from rig_testing import FAKE_ETCD, FAKE_GO, RigTestCase, script, until

from kube_rig import arguments, components, filelock, pins, ports, process, state
from kube_rig.errors import EXIT_USAGE, RigError
from kube_rig.progress import Progress


class Ports(unittest.TestCase):
    def test_picked_ports_are_different_and_can_be_bound(self):
        picked = ports.pick(20)
        self.assertEqual(len(set(picked)), 20)
        for port in picked:
            with socket.socket() as sock:
                sock.bind(("127.0.0.1", port))

    def test_reserved_ports_and_ports_in_use_are_not_picked(self):
        with mock.patch.object(ports.random, "randrange", side_effect=[21001, 21002, 21003, 21004]):
            with socket.socket() as taken:
                taken.bind(("127.0.0.1", 21002))
                self.assertEqual(ports.pick(2, reserved={21001}), [21003, 21004])

    def test_ports_come_from_the_kernel_if_no_port_is_below_its_range(self):
        with mock.patch.object(ports, "_first_outgoing_port", return_value=1024):
            self.assertEqual(len(set(ports.pick(5))), 5)


class Pins(unittest.TestCase):
    def test_the_fingerprint_begins_with_the_version_and_is_stable(self):
        self.assertTrue(pins.fingerprint().startswith(pins.kubernetes_version() + "-"))
        self.assertEqual(pins.fingerprint(), pins.fingerprint())

    def test_the_fingerprint_changes_with_a_pin_and_with_the_build_flags(self):
        before = pins.fingerprint()
        with mock.patch.object(pins, "BUILD_FLAGS", ["-race"]):
            self.assertNotEqual(pins.fingerprint(), before)
        with tempfile.TemporaryDirectory() as folder:
            modules = Path(shutil.copytree(pins.MODULES, Path(folder) / "modules"))
            with mock.patch.object(pins, "MODULES", modules):
                self.assertEqual(pins.fingerprint(), before)
                with open(modules / "etcd" / "go.sum", "a") as file:
                    file.write("\n")
                self.assertNotEqual(pins.fingerprint(), before)

    def test_a_tool_has_its_own_cache_folder(self):
        control_plane, helm, descheduler = pins.fingerprint(), pins.cache_dir("helm"), pins.cache_dir("descheduler")
        self.assertNotEqual(helm, descheduler)
        with tempfile.TemporaryDirectory() as folder:
            modules = Path(shutil.copytree(pins.MODULES, Path(folder) / "modules"))
            with mock.patch.object(pins, "MODULES", modules):
                with open(modules / "helm" / "go.sum", "a") as file:
                    file.write("\n")
                self.assertEqual(pins.fingerprint(), control_plane, "Kubernetes need not be compiled again")
                self.assertNotEqual(pins.cache_dir("helm"), helm)
                self.assertEqual(pins.cache_dir("descheduler"), descheduler)

    def test_every_staging_module_has_the_version_of_kubernetes(self):
        text = (pins.MODULES / "kubernetes" / "go.mod").read_text()
        versions = {line.split()[-1] for line in text.splitlines() if " => k8s.io/" in line}
        self.assertEqual(versions, {"v0" + pins.kubernetes_version().removeprefix("v1")})

    def test_the_linker_flags_contain_the_version_of_kubernetes(self):
        apiserver = next(binary for binary in pins.BINARIES if binary.name == "kube-apiserver")
        self.assertIn(
            f"-X k8s.io/component-base/version.gitVersion={pins.kubernetes_version()}", pins.linker_flags(apiserver)
        )


class Processes(RigTestCase):
    def test_a_recycled_pid_is_never_signalled(self):
        child = self.sleeper()
        who = process.identify(child.pid)
        for other in (replace(who, start_ticks=who.start_ticks - 1), replace(who, boot_id="another boot")):
            self.assertEqual(process.state_of(other), "gone")
            self.assertFalse(process.send(other, signal.SIGKILL))
            process.end_all([other])
        self.assertIsNone(child.poll())
        process.end_all([who])
        self.assertEqual(child.wait(timeout=5), -signal.SIGTERM)

    def test_a_process_that_ignores_sigterm_is_killed(self):
        child = subprocess.Popen(
            ["sh", "-c", "trap '' TERM; echo; while :; do sleep 1; done"], stdout=subprocess.PIPE,
        )
        self.addCleanup(child.stdout.close)
        child.stdout.readline()
        process.end_all([process.identify(child.pid)], grace=0.1)
        self.assertEqual(child.wait(timeout=5), -signal.SIGKILL)

    def test_a_paused_process_is_ended(self):
        child = self.sleeper()
        who = process.identify(child.pid)
        process.send(who, signal.SIGSTOP)
        until(lambda: process.state_of(who) == "paused", "paused")
        process.end_all([who])
        self.assertEqual(child.wait(timeout=5), -signal.SIGTERM)

    def test_a_zombie_counts_as_gone(self):
        child = subprocess.Popen(["true"])
        self.addCleanup(child.wait)
        until(lambda: process.identify(child.pid) is None, "counted as gone though not reaped")

    def test_a_lock_excludes_others_and_can_be_taken_after_its_file_was_deleted(self):
        path = self.folder / "lock"
        with filelock.file_lock(path, 1, what="a test"):
            with self.assertRaisesRegex(RigError, "a test still holds"):
                with filelock.file_lock(path, 0.1, what="a test"):
                    pass
            path.unlink()
        with filelock.file_lock(path, 1, what="a test"):
            self.assertTrue(path.exists())


class Arguments(RigTestCase):
    def test_components_are_sorted_by_start_order_and_checked_for_dependencies(self):
        self.assertEqual(components.choose(["kwok", "kube-apiserver", "etcd"]), ["etcd", "kube-apiserver", "kwok"])
        with self.assertRaisesRegex(RigError, "kwok needs kube-apiserver"):
            components.choose(["etcd", "kwok"])
        with self.assertRaisesRegex(RigError, "no component 'kubelet'"):
            components.choose(["kubelet"])

    def test_a_passed_argument_can_look_like_an_option(self):
        words = ["up", "--etcd-arg", "--log-level=debug", "--apiserver-arg=--v=4", "--etcd-arg", "-x"]
        args = arguments.parser().parse_args(arguments.attach_passed_on(words))
        self.assertEqual(getattr(args, "extra etcd"), ["--log-level=debug", "-x"])
        self.assertEqual(getattr(args, "extra kube-apiserver"), ["--v=4"])

    def test_arguments_of_the_user_come_last(self):
        rig = state.Rig("x", "/x", "/bin", ["etcd"], ports={"etcd": 1, "etcd-peer": 2}, extra_args={"etcd": ["--mine"]})
        self.assertEqual(components.argv(rig, "etcd")[-1], "--mine")

    def test_leases_of_many_nodes_are_renewed_at_most_fifty_times_a_second(self):
        for nodes in (0, 500, 1000, 5000, 20000):
            self.assertLessEqual(nodes / (components.lease_seconds(nodes) / 4), 50)
        self.assertEqual(components.lease_seconds(10), 40)

    def test_wrong_usage_is_reported_in_one_line_with_exit_code_2(self):
        for words, message in (
            (["up", "Bad/Name"], "not a valid name of a rig"),
            (["up", "--with", "etcd", "--nodes", "3"], "--nodes needs kwok"),
            (["up", "--with", "etcd", "--kwok-arg", "--v=1"], "arguments are given for kwok"),
            (["up", "--with", "kubelet"], "no component 'kubelet'"),
            (["build", "--only", "kubelet"], "no binary 'kubelet'"),
        ):
            ran = self.rig(*words, code=EXIT_USAGE)
            self.assertIn(message, ran.stderr)
            self.assertEqual(len(ran.stderr.splitlines()), 1)

    def test_every_command_has_help(self):
        self.assertIn("usage: rig [-h] COMMAND", self.rig("--help", code=0).stdout)
        for command in "build up down status stop start pause resume compact mint kubectl".split():
            self.assertIn(f"usage: rig {command}", self.rig(command, "--help", code=0).stdout)


class FakeTerminal(io.StringIO):
    def isatty(self):
        return True


class ProgressOutput(unittest.TestCase):
    def shown(self, out: io.StringIO) -> str:
        seconds = 0.0
        progress = Progress(2, out, lambda: seconds)
        progress.start("etcd")
        for second in range(1, 41):
            seconds = float(second)
            progress.tick(f"{second} packages compiled")
        progress.done("built")
        return out.getvalue()

    def test_without_a_terminal_there_is_a_line_every_fifteen_seconds(self):
        self.assertEqual(
            self.shown(io.StringIO()).splitlines(),
            [
                "[1/2] etcd: started (0s)",
                "[1/2] etcd: 15 packages compiled (15s)",
                "[1/2] etcd: 30 packages compiled (30s)",
                "[1/2] etcd: built (40s)",
            ],
        )

    def test_on_a_terminal_one_line_is_redrawn(self):
        shown = self.shown(FakeTerminal())
        self.assertEqual(shown.count("\n"), 1)
        self.assertEqual(shown.count("\r"), 42)


class Build(RigTestCase):
    def setUp(self):
        super().setUp()
        self.cache = self.folder / "cache"
        self.tools = script(self.folder / "tools" / "go", FAKE_GO).parent
        self.env |= {"KUBE_RIG_CACHE": str(self.cache), "PATH": str(self.tools)}

    def built(self) -> list[str]:
        log = self.tools / "built"
        return log.read_text().split() if log.exists() else []

    def files(self) -> list[str]:
        return sorted(path.name for path in self.cache.glob("*/*/*"))

    def test_two_concurrent_builds_build_every_binary_once(self):
        both = [self.start_rig("build") for _ in range(2)]
        for one in both:
            self.assertEqual(one.wait(timeout=60), 0)
        self.assertEqual(sorted(self.built()), sorted(pins.BINARY_NAMES))
        self.assertEqual(self.files(), sorted(pins.BINARY_NAMES))
        (self.tools / "go").unlink()  # the third build needs no Go
        self.rig("build", code=0)

    def test_the_option_only_builds_the_named_binaries(self):
        ran = self.rig("build", "--only", "kwok,etcd", code=0)
        self.assertEqual(self.files(), ["etcd", "kwok"])
        self.assertIn("[2/2] kwok: built", ran.stderr)
        self.assertTrue((Path(ran.stdout.strip()) / "kwok").exists())

    def test_a_failed_build_names_the_binary_and_shows_the_compiler_output(self):
        self.env["FAKE_GO"] = "fail"
        ran = self.rig("build", code=1)
        self.assertIn("building etcd failed", ran.stderr)
        self.assertIn("it does not compile", ran.stderr)
        self.assertEqual(self.files(), [])

    def test_an_interrupted_build_leaves_no_files_and_no_processes(self):
        self.env["FAKE_GO"] = "hang"
        child = self.start_rig("build")
        until(lambda: list(self.cache.glob("*/building-*/etcd")), "the compiler has written something")
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(timeout=20), 128 + signal.SIGINT)
        self.assertEqual(self.files(), [])
        self.assertEqual(list(self.cache.glob("*/building-*")), [])
        until(lambda: not self.processes_of_rigs(), "the compiler has ended", 10)

    def test_a_build_that_takes_too_long_is_ended(self):
        self.env["FAKE_GO"] = "hang"
        self.assertIn("took too long", self.rig("build", "--timeout", "1", code=1).stderr)

    def test_a_missing_or_old_go_is_reported_in_one_line_with_exit_code_3(self):
        self.env["FAKE_GO_VERSION"] = "go1.20.3"
        ran = self.rig("build", code=3)
        self.assertRegex(ran.stderr, r"^rig: Go is too old \(go1\.20\.3\).*\n$")
        (self.tools / "go").unlink()
        self.assertRegex(self.rig("build", code=3).stderr, r"^rig: Go is not installed.*\n$")

    def test_up_names_the_missing_binaries(self):
        ran = self.rig("up", "--with", "etcd,kube-apiserver", code=3)
        self.assertIn("etcd, kube-apiserver; run `rig build`", ran.stderr)
        self.env["KUBE_RIG_BIN"] = str(script(self.folder / "bin" / "etcd", FAKE_ETCD).parent)
        ran = self.rig("up", "--with", "etcd,kube-apiserver", code=3)
        self.assertIn(f"not found in {self.folder}/bin: kube-apiserver;", ran.stderr)


class Lifecycle(RigTestCase):
    """Rigs with one component, a fake etcd."""

    def setUp(self):
        super().setUp()
        self.bin = script(self.folder / "bin" / "etcd", FAKE_ETCD).parent
        self.env["KUBE_RIG_BIN"] = str(self.bin)

    def up(self, *words) -> dict:
        return json.loads(self.rig("up", *words, "--with", "etcd", "--json", code=0).stdout)

    def state_of(self, name: str) -> str:
        return json.loads(self.rig("status", name, "--json", code=0).stdout)["states"]["etcd"]

    def test_rigs_are_started_and_removed_by_name_and_all_at_once(self):
        one, two = self.up("one"), self.up()
        self.assertNotEqual(one["name"], two["name"])
        self.assertFalse(set(one["ports"].values()) & set(two["ports"].values()))
        self.assertIn("already up", self.rig("up", "one", "--with", "etcd", code=1).stderr)
        self.rig("down", "one", "--keep-logs", code=0)
        self.assertEqual([entry.name for entry in Path(one["dir"]).iterdir()], ["logs"])
        self.assertIn("no rig named one", self.rig("down", "one", code=1).stderr)
        self.up("one")  # replaces the kept logs
        self.rig("down", "--all", code=0)
        self.assert_nothing_left()

    def test_a_component_is_stopped_started_paused_and_resumed(self):
        before = self.up("one")
        self.rig("pause", "one", "etcd", code=0)
        self.assertEqual(self.state_of("one"), "paused")
        self.rig("resume", "one", "etcd", code=0)
        self.assertEqual(self.state_of("one"), "running")
        self.rig("stop", "one", "etcd", "--signal", "KILL", code=0)
        self.assertEqual(self.state_of("one"), "stopped")
        self.assertIn("is not running", self.rig("pause", "one", "etcd", code=1).stderr)
        self.rig("start", "one", "etcd", code=0)
        after = json.loads(self.rig("status", "one", "--json", code=0).stdout)
        self.assertEqual(after["ports"], before["ports"])
        self.assertNotEqual(after["pids"], before["pids"])
        self.assertIn("already running", self.rig("start", "one", "etcd", code=1).stderr)
        os.kill(after["pids"]["etcd"], signal.SIGKILL)
        until(lambda: self.state_of("one") == "failed", "the end of the process is detected")
        self.up("one")  # a rig whose processes died may be replaced

    def test_a_start_is_repeated_with_another_port_if_the_port_is_in_use(self):
        (self.bin / "busy").write_text("2")
        self.up("one")
        self.assertEqual(self.state_of("one"), "running")

    def test_a_failed_start_shows_the_log_and_leaves_no_rig(self):
        (self.bin / "busy").write_text("3")
        ran = self.rig("up", "one", "--with", "etcd", code=1)
        lines = ran.stderr.splitlines()
        self.assertEqual(lines[-1], "rig: etcd ended with code 1 before it was ready")
        self.assertEqual(len(lines), 21)
        self.assert_nothing_left()

    def test_a_start_that_does_not_become_ready_fails_at_its_timeout(self):
        script(self.bin / "etcd", "#!/bin/sh\nexec sleep 600\n")
        ran = self.rig("up", "one", "--with", "etcd", "--timeout", "1", code=1)
        self.assertIn("etcd did not become ready in time", ran.stderr)
        self.assert_nothing_left()

    def test_an_interrupted_start_leaves_no_rig(self):
        script(self.bin / "etcd", "#!/bin/sh\nexec sleep 600\n")
        child = self.start_rig("up", "one", "--with", "etcd")
        until(lambda: (self.root / "one" / "pids" / "etcd.json").exists(), "etcd was started")
        child.terminate()
        self.assertEqual(child.wait(timeout=20), 128 + signal.SIGTERM)
        self.assert_nothing_left()

    def test_a_rig_is_removed_when_its_owner_process_ends(self):
        owner = self.sleeper()
        self.up("one", "--keep-alive-of", str(owner.pid))
        self.up("two", "--keep-alive-of", str(owner.pid))
        self.rig("down", "two", code=0)
        self.assertEqual(self.state_of("one"), "running")
        owner.kill()
        owner.wait()
        until(lambda: not (self.root / "one").exists(), "the watchdog has removed the rig")
        self.assert_nothing_left()
        ran = self.rig("up", "three", "--with", "etcd", "--keep-alive-of", owner.pid, code=1)
        self.assertIn(f"there is no process {owner.pid}", ran.stderr)


if __name__ == "__main__":
    unittest.main()

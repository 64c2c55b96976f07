"""The commands: each turns parsed arguments into calls, and results into output."""

import argparse
import json
import os
import signal
import sys
from pathlib import Path

from . import arguments, binaries, components, etcd, identities, lifecycle, state, watchdog
from .build import build
from .errors import EXIT_USAGE, RigError
from .pins import BINARY_NAMES, TOOL_NAMES
from .process import Identity
from .state import Rig


ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(BaseException):
    """A signal asked the process to end; raised so that unfinished work is undone."""


def main(argv: list[str]) -> int:
    args = arguments.parser().parse_args(arguments.attach_passed_on(argv))
    for number in ENDING_SIGNALS:
        signal.signal(number, _interrupt)
    try:
        COMMANDS[args.command](args)
        return 0
    except RigError as error:
        for line in error.details:
            print(f"  {line}", file=sys.stderr)
        print(f"rig: {error.sentence}", file=sys.stderr)
        return error.exit_code
    except Interrupted as error:
        print("rig: interrupted; what was begun has been undone", file=sys.stderr)
        return 128 + error.args[0]
    except BrokenPipeError:
        # The reader of our output is gone; the work of the command remains.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _interrupt(number: int, _frame) -> None:
    for each in ENDING_SIGNALS:
        signal.signal(each, signal.SIG_IGN)  # the clean-up must not be interrupted
    raise Interrupted(number)


def _build(args: argparse.Namespace) -> None:
    names = args.only or BINARY_NAMES
    for name in names:
        if name not in BINARY_NAMES + TOOL_NAMES:
            known = ", ".join(BINARY_NAMES + TOOL_NAMES)
            raise RigError(f"there is no binary {name!r}; there are {known}", exit_code=EXIT_USAGE)
    for folder in build(names, jobs=args.jobs, timeout=args.timeout):
        print(folder)


def _up(args: argparse.Namespace) -> None:
    name = state.check_name(args.name) if args.name else state.new_name()
    chosen = components.choose(args.components)
    if args.nodes and "kwok" not in chosen:
        raise RigError("--nodes needs kwok, which --with does not name", exit_code=EXIT_USAGE)
    extra_args = {component: getattr(args, f"extra {component}") for component in arguments.PASSED_ON.values()}
    for component, extra in extra_args.items():
        if extra and component not in chosen:
            raise RigError(f"arguments are given for {component}, which --with does not name", exit_code=EXIT_USAGE)
    rig = lifecycle.up(
        name, chosen, nodes=args.nodes, extra_args=extra_args, keep_alive_of=args.keep_alive_of, timeout=args.timeout,
        node_size={"cpu": args.node_cpu, "memory": args.node_memory, "pods": args.node_pods},
    )
    if args.json:
        print(json.dumps(describe(rig)))
    else:
        print(rig.kubeconfig if "kube-apiserver" in chosen else rig.path)


def describe(rig: Rig) -> dict:
    """The output of `up --json` and `status --json`. Fields of absent components are omitted."""
    shown = {
        "name": rig.name,
        "dir": rig.directory,
        "bin_dir": rig.bin_dir,
        "log_dir": str(rig.path / "logs"),
        "nodes": rig.nodes,
        "ports": rig.ports,
        "pids": {c: who.pid for c in rig.components if (who := rig.identity(c))},
        "states": {c: rig.component_state(c) for c in rig.components},
    }
    if "etcd" in rig.components:
        shown["etcd"] = rig.etcd_url
    if "kube-apiserver" in rig.components:
        shown |= {
            "kubeconfig": str(rig.kubeconfig),
            "server": rig.server,
            "ca_file": str(rig.certs / "ca.crt"),
            "ca_key_file": str(rig.certs / "ca.key"),
            "client_certificate_file": str(rig.certs / "admin.crt"),
            "client_key_file": str(rig.certs / "admin.key"),
        }
    return shown


def _down(args: argparse.Namespace) -> None:
    for name in state.names() if args.all else [args.name]:
        lifecycle.down(name, keep_logs=args.keep_logs)


def _status(args: argparse.Namespace) -> None:
    rigs = [state.load(name) for name in ([args.name] if args.name else state.names())]
    if args.json:
        described = [describe(rig) for rig in rigs]
        print(json.dumps(described[0] if args.name else described))
        return
    if not rigs:
        print("no rigs")
    for rig in rigs:
        print(f"{rig.name}  {rig.directory}")
        for component in rig.components:
            who = rig.identity(component)
            pid = f"pid {who.pid}" if who else ""
            state_name, port = rig.component_state(component), rig.ports[component]
            print(f"  {component:<24} {state_name:<8} port {port:<6} {pid}".rstrip())


def _mint(args: argparse.Namespace) -> None:
    rig = state.load(args.name)
    if "kube-apiserver" not in rig.components:
        raise RigError(f"rig {rig.name} has no kube-apiserver, so a client certificate has no use")
    folder = Path(args.out).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "kubeconfig"
    identities.mint(
        rig, folder, name="client", user=args.user, groups=args.groups, target=target,
        days=args.days, expired=args.expired,
    )
    print(target)


def _kubectl(args: argparse.Namespace) -> None:
    rig = state.load(args.name)
    path = binaries.require(["kubectl"]) / "kubectl"
    sys.stdout.flush()
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    os.execve(path, ["kubectl", *args.arguments], os.environ | {"KUBECONFIG": str(rig.kubeconfig)})


COMMANDS = {
    "build": _build,
    "up": _up,
    "down": _down,
    "status": _status,
    "stop": lambda args: lifecycle.stop(args.name, args.component, args.signal),
    "start": lambda args: lifecycle.start(args.name, args.component, args.timeout),
    "pause": lambda args: lifecycle.pause(args.name, args.component),
    "resume": lambda args: lifecycle.resume(args.name, args.component),
    "compact": lambda args: print(etcd.compact(state.load(args.name))),
    "mint": _mint,
    "which": lambda args: print(binaries.require([args.binary]) / args.binary),
    "kubectl": _kubectl,
    "_watch": lambda args: watchdog.watch(
        args.name, Identity(args.pid, args.start_ticks, args.boot_id), lifecycle.down
    ),
}

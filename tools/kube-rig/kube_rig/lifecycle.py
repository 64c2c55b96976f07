"""Starting and stopping rigs and single components."""

import contextlib
import os
import shutil
import signal
import subprocess
import time

from . import binaries, fake_nodes, identities, ports, state, watchdog
from .components import admin_client, argv, port_names, probe
from .errors import PortTaken, RigError
from .process import end_all, identify, send, spawn, state_of, wait_gone
from .state import WATCHDOG, Rig

PORT_ATTEMPTS = 3
LOG_LINES = 20
SECONDS_PER_NODE = 0.05  # thousands of nodes take longer to create than a control plane to start


def up(
    name: str, components: list[str], *, nodes: int, node_size: dict, extra_args: dict[str, list[str]],
    keep_alive_of: int | None, timeout: float,
) -> Rig:
    bin_dir = binaries.require(components)
    guarded = None
    if keep_alive_of is not None:
        guarded = identify(keep_alive_of)
        if guarded is None:
            raise RigError(f"--keep-alive-of: there is no process {keep_alive_of}")
    with state.locked(name):
        _refuse_or_clear_leftover(name)
        rig = Rig(
            name=name, directory=str(state.state_root() / name), bin_dir=str(bin_dir),
            components=components, nodes=nodes, extra_args=extra_args,
        )
        try:
            for attempt in range(1, PORT_ATTEMPTS + 1):
                try:
                    _start_everything(rig, node_size, guarded, timeout)
                    return rig
                except PortTaken:
                    if attempt == PORT_ATTEMPTS:
                        raise
                    _tear_down(rig)
        except BaseException:  # interruptions too: a failed start leaves nothing behind
            _tear_down(rig)
            raise
    raise AssertionError("unreachable")


def _refuse_or_clear_leftover(name: str) -> None:
    if state.exists(name):
        rig = state.load(name)
        if any(rig.component_state(c) in ("running", "paused") for c in rig.components):
            raise RigError(f"rig {name} is already up; take it down with `rig down {name}` or use another name")
        _tear_down(rig)  # its processes are gone, for example after a restart of the machine
    shutil.rmtree(state.state_root() / name, ignore_errors=True)  # logs of an earlier rig


def _start_everything(rig: Rig, node_size: dict, guarded, timeout: float) -> None:
    with state.ports_locked():
        names = port_names(rig.components)
        rig.ports = dict(zip(names, ports.pick(len(names), state.recorded_ports())))
        rig.save()
    if guarded:
        watchdog.start(rig, guarded)
    if "kube-apiserver" in rig.components:
        identities.create(rig)

    deadline = time.monotonic() + timeout
    children: dict[str, subprocess.Popen] = {}
    # etcd and the API server start one after the other; the other components start together.
    for component in ("etcd", "kube-apiserver"):
        if component in rig.components:
            children[component] = _launch(rig, component)
            _wait_ready(rig, component, deadline, children[component])
    if "kwok" in rig.components:
        with admin_client(rig) as client:
            identities.grant_kwok(client)
    rest = [c for c in rig.components if c not in children]
    for component in rest:
        children[component] = _launch(rig, component)
    for component in rest:
        _wait_ready(rig, component, deadline, children[component])
    if "kube-apiserver" in rig.components:
        _wait_populated(rig, deadline)
    if rig.nodes:
        fake_nodes.create(rig, **node_size)
        fake_nodes.wait_usable(rig, time.monotonic() + timeout + rig.nodes * SECONDS_PER_NODE)


def _launch(rig: Rig, component: str) -> subprocess.Popen:
    child = spawn(argv(rig, component), rig.log(component), rig.path)
    who = identify(child.pid)
    if who:  # otherwise it ended at once, which _wait_ready reports
        rig.remember(component, who)
    return child


def _wait_ready(rig: Rig, component: str, deadline: float, child: subprocess.Popen) -> None:
    while not probe(rig, component):
        if child.poll() is not None:
            tail = _log_tail(rig, component)
            kind = PortTaken if any("address already in use" in line for line in tail) else RigError
            raise kind(f"{component} ended with code {child.returncode} before it was ready", details=tail)
        if time.monotonic() >= deadline:
            raise RigError(f"{component} did not become ready in time", details=_log_tail(rig, component))
        time.sleep(0.05)


def _wait_populated(rig: Rig, deadline: float) -> None:
    """Ready does not mean usable: the first namespace and its ServiceAccount are created a moment later."""
    made_by = {
        "kube-apiserver": "/api/v1/namespaces/default",
        "kube-controller-manager": "/api/v1/namespaces/default/serviceaccounts/default",
    }
    with admin_client(rig) as client:
        for component, path in made_by.items():
            while component in rig.components and not client.is_ok(path):
                if time.monotonic() >= deadline:
                    raise RigError(f"{component} did not create {path} in time", details=_log_tail(rig, component))
                time.sleep(0.05)


def _log_tail(rig: Rig, component: str) -> list[str]:
    try:
        return rig.log(component).read_text(errors="replace").splitlines()[-LOG_LINES:]
    except FileNotFoundError:
        return []


def down(name: str, *, keep_logs: bool = False) -> None:
    with state.locked(name):
        _tear_down(state.load(name), keep_logs=keep_logs)


def _tear_down(rig: Rig, *, keep_logs: bool = False) -> None:
    """Ends the processes of the rig and removes its folder; the caller holds the lock."""
    mine = [rig.identity(WATCHDOG)] if rig.identity(WATCHDOG) else []
    end_all([who for who in mine if who.pid != os.getpid()])
    # etcd last: the others end faster while it answers them.
    for group in ([c for c in rig.components if c != "etcd"], ["etcd"]):
        end_all([who for who in map(rig.identity, group) if who])
    if rig.path.exists():
        state.remove(rig, keep_logs=keep_logs)


def stop(name: str, component: str, signal_name: str) -> None:
    with _changing(name, component) as rig:
        who = _living(rig, component)
        number = {"TERM": signal.SIGTERM, "KILL": signal.SIGKILL}[signal_name]
        end_all([who], first=number)
        if not wait_gone(who, 0):
            raise RigError(f"{component} of rig {name} (pid {who.pid}) does not end")
        rig.forget(component)


def start(name: str, component: str, timeout: float) -> None:
    with _changing(name, component) as rig:
        if rig.component_state(component) in ("running", "paused"):
            raise RigError(f"{component} of rig {name} is already {rig.component_state(component)}")
        child = _launch(rig, component)
        try:
            _wait_ready(rig, component, time.monotonic() + timeout, child)
        except BaseException:
            who = rig.identity(component)
            if who:
                end_all([who])
            rig.forget(component)
            raise


def pause(name: str, component: str) -> None:
    _signal_until(name, component, signal.SIGSTOP, "paused")


def resume(name: str, component: str) -> None:
    _signal_until(name, component, signal.SIGCONT, "running")


def _signal_until(name: str, component: str, number: int, wanted: str) -> None:
    with _changing(name, component) as rig:
        who = _living(rig, component)
        deadline = time.monotonic() + 5
        while state_of(who) != wanted:
            if not send(who, number) or time.monotonic() >= deadline:
                raise RigError(f"{component} of rig {name} (pid {who.pid}) did not become {wanted}")
            time.sleep(0.01)


@contextlib.contextmanager
def _changing(name: str, component: str):
    """Holds the rig's lock and checks that the component belongs to the rig."""
    with state.locked(name):
        rig = state.load(name)
        if component not in rig.components:
            raise RigError(f"rig {name} has no component {component}; it has {', '.join(rig.components)}")
        yield rig


def _living(rig: Rig, component: str):
    who = rig.identity(component)
    if who is None or state_of(who) == "gone":
        raise RigError(f"{component} of rig {rig.name} is not running ({rig.component_state(component)})")
    return who

"""The command line of `rig`."""

import argparse

from .components import DEFAULT_COMPONENTS, START_ORDER
from .pins import BINARY_NAMES, TOOL_NAMES

# Option -> the component that gets its value.
PASSED_ON = {
    "--etcd-arg": "etcd",
    "--apiserver-arg": "kube-apiserver",
    "--controller-manager-arg": "kube-controller-manager",
    "--scheduler-arg": "kube-scheduler",
    "--kwok-arg": "kwok",
}

EPILOG = """\
exit codes: 0 done; 1 failed; 2 wrong usage; 3 this machine lacks something (Go, openssl, built binaries).

environment:
  KUBE_RIG_BIN    use the binaries in this folder instead of those built
  KUBE_RIG_CACHE  where built binaries are kept (default: kube-rig in $XDG_CACHE_HOME or ~/.cache)
  KUBE_RIG_STATE  where running rigs are kept (default: $TMPDIR or /tmp)
"""


def comma_list(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def positive(text: str) -> int:
    value = int(text)
    if value <= 0:
        raise argparse.ArgumentTypeError("must be more than 0")
    return value


def count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return value


def attach_passed_on(argv: list[str]) -> list[str]:
    """Lets `--etcd-arg --log-level=debug` mean `--etcd-arg=--log-level=debug`.

    argparse would take the second word for an option of its own.
    """
    joined: list[str] = []
    words = iter(argv)
    for word in words:
        if word in PASSED_ON:
            value = next(words, None)
            joined.append(word if value is None else f"{word}={value}")
        else:
            joined.append(word)
    return joined


def parser() -> argparse.ArgumentParser:
    main = argparse.ArgumentParser(
        prog="rig", description="Builds and runs a real Kubernetes control plane on loopback, for tests.",
        epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = main.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, summary: str, *, rig: bool = False, component: bool = False) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
        if rig:
            sub.add_argument("name", metavar="NAME", help="the rig")
        if component:
            sub.add_argument("component", metavar="COMPONENT", choices=START_ORDER, help=", ".join(START_ORDER))
        return sub

    build = command("build", "build the pinned binaries into the cache; does nothing when they are there")
    build.add_argument("--only", type=comma_list, metavar="LIST", help=f"of {','.join(BINARY_NAMES + TOOL_NAMES)} (default: all but {','.join(TOOL_NAMES)})")
    build.add_argument("--jobs", type=positive, metavar="N", help="packages to compile at once (default: as Go does)")
    build.add_argument("--timeout", type=positive, default=3600, metavar="SECONDS", help="default: %(default)s")

    _add_up(command("up", "start a control plane and print the path of its kubeconfig"))

    down = command("down", "stop a rig and remove its folder")
    which = down.add_mutually_exclusive_group(required=True)
    which.add_argument("name", nargs="?", metavar="NAME", help="the rig")
    which.add_argument("--all", action="store_true", help="every rig of this user")
    down.add_argument("--keep-logs", action="store_true", help="leave the logs folder")

    status = command("status", "show what runs")
    status.add_argument("name", nargs="?", metavar="NAME", help="only this rig")
    status.add_argument("--json", action="store_true", help="as JSON")

    stop = command("stop", "end one component of a rig", rig=True, component=True)
    stop.add_argument(
        "--signal", choices=["TERM", "KILL"], default="TERM", help="TERM is followed by KILL after 5 s (default: TERM)"
    )
    start = command("start", "start a stopped component as it was and wait for it", rig=True, component=True)
    _add_timeout(start)
    command("pause", "freeze a component (SIGSTOP)", rig=True, component=True)
    command("resume", "let a paused component go on (SIGCONT)", rig=True, component=True)
    command("compact", "compact etcd to its current revision", rig=True)

    mint = command("mint", "make a client certificate and a kubeconfig, signed by the rig's authority", rig=True)
    mint.add_argument("--user", required=True, help="the user's name")
    mint.add_argument("--group", action="append", default=[], dest="groups", help="one of the user's; may be repeated")
    mint.add_argument("--days", type=positive, default=1, help="how long it is valid (default: %(default)s)")
    mint.add_argument("--expired", action="store_true", help="make one that ended yesterday")
    mint.add_argument("--out", required=True, metavar="DIR", help="gets client.crt, client.key and kubeconfig")

    which = command("which", "print where a built binary is")
    which.add_argument("binary", help="kubectl, etcd, ...")

    kubectl = command("kubectl", "run kubectl against a rig", rig=True)
    kubectl.add_argument("arguments", nargs=argparse.REMAINDER, help="for kubectl")

    watch = commands.add_parser("_watch")  # internal: the watchdog starts itself with it
    for argument, kind in (("name", str), ("pid", int), ("start_ticks", int), ("boot_id", str)):
        watch.add_argument(argument, type=kind)
    return main


def _add_up(up: argparse.ArgumentParser) -> None:
    up.add_argument("name", nargs="?", metavar="NAME", help="default: a new unique name")
    up.add_argument(
        "--with", dest="components", type=comma_list, default=DEFAULT_COMPONENTS, metavar="LIST",
        help=f"of {','.join(START_ORDER)} (default: {','.join(DEFAULT_COMPONENTS)})",
    )
    up.add_argument("--json", action="store_true", help="print one JSON object instead of the path")
    up.add_argument("--nodes", type=count, default=0, metavar="N", help="make N fake nodes and wait for them")
    each = "of each fake node (default: %(default)s)"
    up.add_argument("--node-cpu", default="32", metavar="QUANTITY", help=each)
    up.add_argument("--node-memory", default="256Gi", metavar="QUANTITY", help=each)
    up.add_argument("--node-pods", type=positive, default=110, metavar="N", help=each)
    up.add_argument("--keep-alive-of", type=positive, metavar="PID", help="down when this process is gone")
    for option, component in PASSED_ON.items():
        up.add_argument(
            option, action="append", default=[], dest=f"extra {component}", metavar="ARG",
            help=f"add this argument to {component}'s; may be repeated, and wins over ours",
        )
    _add_timeout(up)


def _add_timeout(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--timeout", type=positive, default=60, metavar="SECONDS",
        help="give up when not ready by then (default: %(default)s)",
    )

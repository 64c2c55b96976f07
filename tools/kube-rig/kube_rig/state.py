"""The state of a rig between commands: one folder per rig, with rig.json and a pid file per process."""

import contextlib
import json
import os
import re
import secrets
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .errors import EXIT_USAGE, RigError
from .filelock import file_lock
from .process import Identity, read_identity, state_of, write_identity

LOCK_SECONDS = 180.0  # longer than any command holds the lock
WATCHDOG = "watchdog"


@dataclass
class Rig:
    name: str
    directory: str
    bin_dir: str
    components: list[str]  # in the order they start
    nodes: int = 0
    ports: dict[str, int] = field(default_factory=dict)
    extra_args: dict[str, list[str]] = field(default_factory=dict)

    @property
    def path(self) -> Path:
        return Path(self.directory)

    @property
    def certs(self) -> Path:
        return self.path / "certs"

    @property
    def kubeconfig(self) -> Path:
        return self.path / "kubeconfig"

    @property
    def server(self) -> str:
        return f"https://127.0.0.1:{self.ports['kube-apiserver']}"

    @property
    def etcd_url(self) -> str:
        return f"http://127.0.0.1:{self.ports['etcd']}"

    def log(self, component: str) -> Path:
        return self.path / "logs" / f"{component}.log"

    def pid_file(self, component: str) -> Path:
        return self.path / "pids" / f"{component}.json"

    def identity(self, component: str) -> Identity | None:
        return read_identity(self.pid_file(component))

    def remember(self, component: str, who: Identity) -> None:
        write_identity(self.pid_file(component), who)

    def forget(self, component: str) -> None:
        self.pid_file(component).unlink(missing_ok=True)

    def component_state(self, component: str) -> str:
        """"running", "paused", "stopped" (by a command) or "failed" (ended by itself)."""
        who = self.identity(component)
        if who is None:
            return "stopped"
        state = state_of(who)
        return "failed" if state == "gone" else state

    def save(self) -> None:
        for folder in ("certs", "logs", "pids", "data"):
            (self.path / folder).mkdir(parents=True, exist_ok=True)
        scratch = self.path / "rig.json.new"
        scratch.write_text(json.dumps(asdict(self), indent=2) + "\n")
        os.replace(scratch, self.path / "rig.json")


def state_root() -> Path:
    """The folder of all rigs of this user; no other user can have created it or can read it."""
    base = os.environ.get("KUBE_RIG_STATE") or os.environ.get("TMPDIR") or "/tmp"
    root = Path(base).absolute() / f"kube-rig-{os.getuid()}"
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    if root.stat().st_uid != os.getuid():
        raise RigError(f"{root} belongs to another user; set KUBE_RIG_STATE to a folder of your own")
    return root


def check_name(name: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,40}", name):
        raise RigError(
            f"{name!r} is not a valid name of a rig; use up to 41 lower-case letters, digits and dashes",
            exit_code=EXIT_USAGE,
        )
    return name


def new_name() -> str:
    return f"rig-{secrets.token_hex(4)}"


@contextlib.contextmanager
def locked(name: str):
    """Only one command at a time changes a rig."""
    lock = state_root() / f".{check_name(name)}.lock"
    with file_lock(lock, LOCK_SECONDS, what=f"another command on rig {name}"):
        try:
            yield
        finally:
            if not exists(name):  # removed, or it never existed: no file of it stays
                lock.unlink(missing_ok=True)


@contextlib.contextmanager
def ports_locked():
    """Held while ports are picked and recorded, so that two rigs never pick the same."""
    with file_lock(state_root() / ".ports.lock", LOCK_SECONDS, what="another `rig up`"):
        yield


def load(name: str) -> Rig:
    try:
        return Rig(**json.loads((state_root() / check_name(name) / "rig.json").read_text()))
    except FileNotFoundError:
        known = ", ".join(names()) or "none"
        raise RigError(f"there is no rig named {name} (rigs here: {known})") from None


def exists(name: str) -> bool:
    return (state_root() / name / "rig.json").exists()


def names() -> list[str]:
    return sorted(path.parent.name for path in state_root().glob("*/rig.json"))


def recorded_ports() -> set[int]:
    """The ports of all rigs, including those of stopped components, which will need them again."""
    ports: set[int] = set()
    for name in names():
        with contextlib.suppress(RigError):  # removed at this moment
            ports.update(load(name).ports.values())
    return ports


def remove(rig: Rig, *, keep_logs: bool) -> None:
    """Removes a rig; the caller holds its lock."""
    (rig.path / "rig.json").unlink(missing_ok=True)
    if keep_logs:
        for entry in rig.path.iterdir():
            if entry.name != "logs":
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    else:
        shutil.rmtree(rig.path, ignore_errors=True)

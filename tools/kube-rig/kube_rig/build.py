"""`rig build`: compiles the pinned binaries into the cache."""

import contextlib
import os
import re
import selectors
import shutil
import subprocess
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Callable

from .errors import EXIT_UNAVAILABLE, RigError
from .filelock import file_lock
from .pins import BINARIES, BUILD_FLAGS, MODULES, TOOLS, Binary, cache_dir, linker_flags, required_go
from .process import end_group
from .progress import Progress, clock_text


def build(names: list[str], *, jobs: int | None, timeout: float) -> list[Path]:
    """Builds the missing ones of `names` and returns their folders."""
    folders = list(dict.fromkeys(cache_dir(name) for name in names))
    return [
        _build_in(folder, [name for name in names if cache_dir(name) == folder], jobs=jobs, timeout=timeout)
        for folder in folders
    ]


def _build_in(folder: Path, names: list[str], *, jobs: int | None, timeout: float) -> Path:
    target = folder / "bin"
    if not _missing(names, target):
        return target

    require_go()
    target.mkdir(parents=True, exist_ok=True)
    with file_lock(folder / "build.lock", timeout, what="another `rig build`"):
        # Leftovers of an earlier build that was killed; no other process can be writing here now.
        for leftover in folder.glob("building-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        todo = _missing(names, target)
        progress = Progress(len(todo))
        scratch = Path(tempfile.mkdtemp(prefix="building-", dir=folder))
        deadline = time.monotonic() + timeout
        try:
            for binary in todo:
                _build_one(binary, scratch, progress, jobs, deadline)
                os.replace(scratch / binary.name, target / binary.name)
        except BaseException:
            progress.interrupt()
            raise
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return target


def _missing(names: list[str], target: Path) -> list[Binary]:
    return [b for b in BINARIES + TOOLS if b.name in names and not os.access(target / b.name, os.X_OK)]


def require_go() -> None:
    wanted = required_go()
    wanted_text = ".".join(map(str, wanted))
    go = shutil.which("go")
    if not go:
        raise RigError(
            f"Go is not installed, and Kubernetes is built with it; install Go {wanted_text} or newer "
            "and put `go` on PATH, or name a folder of ready binaries in KUBE_RIG_BIN",
            exit_code=EXIT_UNAVAILABLE,
        )
    # Run inside a module, so that a Go that downloads newer toolchains reports the version that it would use.
    answer = subprocess.run(
        [go, "env", "GOVERSION"], cwd=MODULES / "kubernetes", env=_go_environment(),
        capture_output=True, text=True, timeout=300,
    )
    found = re.match(r"go(\d+(?:\.\d+)*)", answer.stdout.strip())
    if answer.returncode != 0 or not found or _version(found.group(1)) < wanted:
        have = answer.stdout.strip() or _last_line(answer.stderr) or "unknown"
        raise RigError(
            f"Go is too old ({have}): the pinned modules need Go {wanted_text}; install that or newer",
            exit_code=EXIT_UNAVAILABLE,
        )


def _version(text: str) -> tuple[int, ...]:
    """Three numbers: a first release may call itself "1.26" as well as "1.26.0"."""
    numbers = [int(part) for part in text.split(".")]
    return tuple((numbers + [0, 0])[:3])


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""


def _go_environment() -> dict[str, str]:
    # A go.work file above this folder, or cgo, would make the result depend on the place of the build.
    return os.environ | {"CGO_ENABLED": "0", "GOWORK": "off"}


def _build_one(
    binary: Binary, scratch: Path, progress: Progress, jobs: int | None, deadline: float
) -> None:
    progress.start(binary.name)
    began = time.monotonic()
    command = ["go", "build", "-v", *BUILD_FLAGS, "-ldflags", linker_flags(binary)]
    if jobs:
        command += ["-p", str(jobs)]
    command += ["-o", str(scratch / binary.name), binary.package]

    compiled = 0
    doing = "starting"
    last_lines: deque[str] = deque(maxlen=20)

    def watch(line: str | None) -> None:
        nonlocal compiled, doing
        if line is not None:
            if line.startswith("go: downloading "):
                doing = line.removeprefix("go: ")
            else:
                last_lines.append(line)
                compiled += 1  # `go build -v` prints each package that it compiles
                doing = f"{compiled} packages compiled"
        progress.tick(doing)

    code = _run(command, MODULES / binary.module, watch, deadline)
    if code is None:
        raise RigError(f"building {binary.name} took too long; raise --timeout")
    if code != 0:
        raise RigError(f"building {binary.name} failed: `go build` ended with code {code}", details=list(last_lines))
    progress.done(f"built in {clock_text(time.monotonic() - began)}")


def _run(command: list[str], cwd: Path, watch: Callable[[str | None], None], deadline: float) -> int | None:
    """Runs the command and returns its exit code, or None if the deadline passed.

    `watch` gets each line of output, and None about five times a second while there is no output.
    """
    child = subprocess.Popen(
        command, cwd=cwd, env=_go_environment(), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )
    with contextlib.closing(child.stdout), selectors.DefaultSelector() as selector:
        try:
            selector.register(child.stdout, selectors.EVENT_READ)
            pending = b""
            while time.monotonic() < deadline:
                if not selector.select(timeout=0.2):
                    watch(None)
                    continue
                chunk = os.read(child.stdout.fileno(), 65536)
                if not chunk:
                    return child.wait(timeout=30)
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    watch(line.decode(errors="replace"))
            return None
        finally:
            end_group(child)

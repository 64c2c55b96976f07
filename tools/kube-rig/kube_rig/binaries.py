"""Where the binaries are: in KUBE_RIG_BIN if that is set, else in the cache that `rig build` fills."""

import os
from pathlib import Path

from .errors import EXIT_UNAVAILABLE, RigError
from .pins import cache_dir


def binary_dir() -> Path:
    explicit = os.environ.get("KUBE_RIG_BIN")
    return Path(explicit).absolute() if explicit else cache_dir() / "bin"


def is_present(name: str) -> bool:
    return os.access(binary_dir() / name, os.X_OK)


def require(names: list[str]) -> Path:
    """The folder that holds all of `names`, or an error naming those it lacks."""
    missing = [name for name in names if not is_present(name)]
    if missing:
        if os.environ.get("KUBE_RIG_BIN"):
            advice = "put them there or unset KUBE_RIG_BIN"
        else:
            advice = "run `rig build`"
        raise RigError(
            f"not found in {binary_dir()}: {', '.join(missing)}; {advice}",
            exit_code=EXIT_UNAVAILABLE,
        )
    return binary_dir()

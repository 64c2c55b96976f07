"""Where the binaries are: in KUBE_RIG_BIN if it is set, else in the cache that `rig build` fills."""

import os
from pathlib import Path

from .errors import EXIT_UNAVAILABLE, RigError
from .pins import TOOL_NAMES, cache_dir


def binary_dir(name: str = "kube-apiserver") -> Path:
    explicit = os.environ.get("KUBE_RIG_BIN")
    return Path(explicit).absolute() if explicit else cache_dir(name) / "bin"


def is_present(name: str) -> bool:
    return os.access(binary_dir(name) / name, os.X_OK)


def require(names: list[str]) -> Path:
    """The folder that has all of `names`, or an error that lists the missing ones."""
    missing = [name for name in names if not is_present(name)]
    if missing:
        if os.environ.get("KUBE_RIG_BIN"):
            advice = "put them there or unset KUBE_RIG_BIN"
        else:
            tools = [name for name in missing if name in TOOL_NAMES]
            advice = f"run `rig build{' --only ' + ','.join(tools) if tools else ''}`"
        raise RigError(
            f"not found in {binary_dir(missing[0])}: {', '.join(missing)}; {advice}",
            exit_code=EXIT_UNAVAILABLE,
        )
    return binary_dir(names[0]) if names else binary_dir()

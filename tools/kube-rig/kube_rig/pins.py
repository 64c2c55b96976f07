"""What is built: the pinned modules, their binaries, and a fingerprint of all of it."""

import hashlib
import os
import platform
import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MODULES = ROOT / "modules"

BUILD_FLAGS = ["-mod=readonly", "-trimpath", "-buildvcs=false"]


@dataclass(frozen=True)
class Binary:
    name: str
    module: str  # the folder below modules/
    package: str


BINARIES = [
    Binary("etcd", "etcd", "go.etcd.io/etcd/server/v3"),
    Binary("kube-apiserver", "kubernetes", "k8s.io/kubernetes/cmd/kube-apiserver"),
    Binary("kube-controller-manager", "kubernetes", "k8s.io/kubernetes/cmd/kube-controller-manager"),
    Binary("kube-scheduler", "kubernetes", "k8s.io/kubernetes/cmd/kube-scheduler"),
    Binary("kubectl", "kubernetes", "k8s.io/kubernetes/cmd/kubectl"),
    Binary("kwok", "kwok", "sigs.k8s.io/kwok/cmd/kwok"),
    Binary("reflector", "reflector", "."),
]
# Not part of the control plane, each in its own cache folder: a new Helm must not force a new build of Kubernetes.
TOOLS = [
    Binary("helm", "helm", "helm.sh/helm/v3/cmd/helm"),
    Binary("descheduler", "descheduler", "sigs.k8s.io/descheduler/cmd/descheduler"),
]
BINARY_NAMES = [binary.name for binary in BINARIES]
TOOL_NAMES = [tool.name for tool in TOOLS]


def pinned_version(module: str, dependency: str) -> str:
    """The version of `dependency` that modules/<module>/go.mod requires, such as "v1.36.4"."""
    text = (MODULES / module / "go.mod").read_text()
    found = re.search(rf"^(?:require)?\s*{re.escape(dependency)} (v\S+)", text, re.MULTILINE)
    if not found:
        raise ValueError(f"modules/{module}/go.mod does not require {dependency}")
    return found.group(1)


def kubernetes_version() -> str:
    return pinned_version("kubernetes", "k8s.io/kubernetes")


def required_go() -> tuple[int, ...]:
    """The newest Go version that any of the modules requires."""
    wanted = []
    for gomod in MODULES.glob("*/go.mod"):
        found = re.search(r"^go (\d+(?:\.\d+)*)", gomod.read_text(), re.MULTILINE)
        if found:
            wanted.append(tuple(int(part) for part in found.group(1).split(".")))
    return max(wanted)


def linker_flags(binary: Binary) -> str:
    """Linker flags: stripped binaries, and for Kubernetes its version, which its own build scripts would set."""
    flags = ["-s", "-w"]
    if binary.module == "kubernetes":
        version = kubernetes_version()
        major, minor = version.lstrip("v").split(".")[:2]
        for package in ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version"):
            flags += [
                f"-X {package}.gitVersion={version}",
                f"-X {package}.gitMajor={major}",
                f"-X {package}.gitMinor={minor}",
                f"-X {package}.gitTreeState=clean",
            ]
    return " ".join(flags)


def fingerprint(binaries: list[Binary] | None = None) -> str:
    """Changes exactly when the binaries would: pins, our own Go code, flags, platform.

    The version of Go is not included on purpose: a machine with the cache but without Go can use it.
    """
    binaries = BINARIES if binaries is None else binaries
    modules = {binary.module for binary in binaries}
    digest = hashlib.sha256()
    for file in sorted(MODULES.glob("*/*")):
        if file.parent.name in modules and (file.name in ("go.mod", "go.sum") or file.suffix == ".go"):
            digest.update(f"{file.relative_to(MODULES)}\0".encode())
            digest.update(file.read_bytes() + b"\0")
    for binary in binaries:
        digest.update(f"{binary}{BUILD_FLAGS}{linker_flags(binary)}\0".encode())
    digest.update(f"{platform.system()} {platform.machine()}".encode())
    version = kubernetes_version() if binaries is BINARIES else "-".join(binary.name for binary in binaries)
    return f"{version}-{digest.hexdigest()[:12]}"


def cache_root() -> Path:
    if explicit := os.environ.get("KUBE_RIG_CACHE"):
        return Path(explicit)
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "kube-rig"


def cache_dir(name: str = "kube-apiserver") -> Path:
    """The folder of that binary and of the binaries that are built together with it."""
    tool = [tool for tool in TOOLS if tool.name == name]
    return cache_root() / fingerprint(tool or BINARIES)

"""Kubeconfig files, written as JSON, which every YAML reader accepts."""

import base64
import json
from pathlib import Path


def _inline(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def write(path: Path, *, server: str, ca: Path, certificate: Path, key: Path, user: str) -> Path:
    """The file contains the certificates, so it can be copied anywhere."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "rig", "cluster": {"server": server, "certificate-authority-data": _inline(ca)}}],
        "users": [
            {
                "name": user,
                "user": {"client-certificate-data": _inline(certificate), "client-key-data": _inline(key)},
            }
        ],
        "contexts": [{"name": "rig", "context": {"cluster": "rig", "user": user}}],
        "current-context": "rig",
    }
    path.touch(mode=0o600)
    path.write_text(json.dumps(document, indent=2) + "\n")
    return path

"""Changes to etcd that bypass the API server."""

import base64

from .errors import RigError
from .http import Client
from .state import Rig


def compact(rig: Rig) -> int:
    """Compacts all history up to now and returns the remaining revision."""
    if "etcd" not in rig.components:
        raise RigError(f"rig {rig.name} has no etcd")
    with Client(rig.etcd_url) as client:
        # Any read returns the current revision.
        answer = client.post("/v3/kv/range", {"key": base64.b64encode(b"/").decode(), "limit": "1", "keys_only": True})
        revision = int(answer["header"]["revision"])
        client.post("/v3/kv/compaction", {"revision": str(revision), "physical": True})
    return revision

"""The few HTTP requests of a rig: health probes, a handful of API objects, etcd's JSON gateway."""

import http.client
import json
import ssl
import urllib.parse
from pathlib import Path

from .errors import RigError

REQUEST_SECONDS = 10.0


class Client:
    """One keep-alive connection to one server; not thread-safe."""

    def __init__(self, url: str, *, ca: Path | None = None, certificate: Path | None = None, key: Path | None = None):
        self._url = url
        address = urllib.parse.urlsplit(url)
        if address.scheme == "https":
            context = ssl.create_default_context(cafile=ca)
            if certificate:
                context.load_cert_chain(certificate, key)
            self._connection = http.client.HTTPSConnection(
                address.hostname, address.port, timeout=REQUEST_SECONDS, context=context
            )
        else:
            self._connection = http.client.HTTPConnection(address.hostname, address.port, timeout=REQUEST_SECONDS)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._connection.close()

    def request(self, method: str, path: str, body: dict | None = None) -> tuple[int, bytes]:
        """Status and body; OSError or HTTPException if there is no answer."""
        headers = {"Accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        try:
            self._connection.request(method, path, data, headers)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self._connection.close()  # the next request opens a new connection
            raise

    def is_ok(self, path: str) -> bool:
        try:
            return self.request("GET", path)[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def get(self, path: str) -> dict:
        return self._json("GET", path, None)

    def post(self, path: str, body: dict) -> dict:
        return self._json("POST", path, body)

    def _json(self, method: str, path: str, body: dict | None) -> dict:
        try:
            status, answer = self.request(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            raise RigError(f"{method} {self._url}{path} got no answer: {error}") from error
        if status >= 300:
            raise RigError(
                f"{method} {self._url}{path} was answered with {status}",
                details=[answer.decode(errors="replace")[:500]],
            )
        return json.loads(answer)

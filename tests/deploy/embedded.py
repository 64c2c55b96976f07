"""An embedded cluster that serves over HTTPS (`rescheduler sim`), and requests to it without kubectl."""

import json
import re
import ssl
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def ask(kubeconfig, path, **more):
    """The cluster requires no authentication."""
    trusting = ssl.create_default_context()
    trusting.check_hostname = False
    trusting.verify_mode = ssl.CERT_NONE
    server = re.search(r'server: (\S+)', Path(kubeconfig).read_text()).group(1)
    request = urllib.request.Request(server + path, **more)
    request.add_header('Authorization', 'Bearer any-token')
    with urllib.request.urlopen(request, timeout=10, context=trusting) as answer:
        return answer.read()


def send(kubeconfig, path, body, method='POST', content='application/yaml'):
    ask(kubeconfig, path, method=method, data=body if isinstance(body, bytes) else json.dumps(body).encode(),
        headers={'Content-Type': content})


def fetch(kubeconfig, path):
    return json.loads(ask(kubeconfig, path, headers={'Accept': 'application/json'}))


def define_migrations(kubeconfig):
    """Does what `kubectl apply -f charts/rescheduler/crds/crd.yaml` does."""
    send(kubeconfig, '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
         (ROOT / 'charts/rescheduler/crds/crd.yaml').read_bytes())

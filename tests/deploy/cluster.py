"""A real control plane for one test program, and kubectl on it as a guide's reader types it."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SKIPPED = 77


class Control:
    def __init__(self, rig, nodes=3):
        self.rig = rig
        self.name = f'deploy-{os.getpid()}'
        parts = 'etcd,kube-apiserver,kube-controller-manager,kube-scheduler,kwok'
        done = subprocess.run([rig, 'up', self.name, '--json', '--nodes', str(nodes), '--with', parts,
                               '--keep-alive-of', str(os.getpid())], capture_output=True, text=True)
        if done.returncode == 3:
            print(f'skipped: the real control plane is not built here: {done.stderr.strip().splitlines()[-1]}')
            sys.exit(SKIPPED)
        if done.returncode:
            raise RuntimeError(done.stderr)
        about = json.loads(done.stdout)
        self.server, self.ca, self.kubeconfig = about['server'], about['ca_file'], about['kubeconfig']
        self.kubectl = str(Path(about['bin_dir']) / 'kubectl')

    def down(self):
        subprocess.run([self.rig, 'down', self.name], capture_output=True)

    def environment(self):
        """With `kubectl` first on PATH, so that scripts and pipes find it too."""
        path = f'{Path(self.kubectl).parent}:{os.environ["PATH"]}'
        return dict(os.environ, KUBECONFIG=self.kubeconfig, PATH=path)

    def shell(self, line, code=0):
        """Runs a line as it stands in a guide, from the repository's root; its output."""
        done = subprocess.run(['bash', '-c', 'set -o pipefail\n' + line], capture_output=True, text=True, cwd=ROOT,
                              env=self.environment(), timeout=300, stdin=subprocess.DEVNULL)
        if code is not None and done.returncode != code:
            raise AssertionError(f'{line}\nended with {done.returncode}:\n{done.stdout}{done.stderr}')
        return done.stdout

    def json(self, arguments):
        return json.loads(self.shell(f'kubectl {arguments} -o json'))

    def objects(self):
        """Every object there is, but those that come and go by themselves."""
        kinds = self.shell('kubectl api-resources --verbs=list -o name').split()
        passing = ('events', 'events.events.k8s.io', 'componentstatuses', 'ipaddresses.networking.k8s.io')
        kinds = ','.join(kind for kind in kinds if kind not in passing)
        return set(self.shell(f'kubectl get -A --ignore-not-found {kinds} -o jsonpath='
                              + shlex.quote('{range .items[*]}{.kind}/{.metadata.namespace}/{.metadata.name}{"\\n"}{end}')
                              ).split())

    def token_kubeconfig(self, path, account='rescheduler-scheduler', namespace='kube-system'):
        """A kubeconfig with nothing but that ServiceAccount's own token."""
        token = self.shell(f'kubectl create token {account} -n {namespace}').strip()
        Path(path).write_text(json.dumps({
            'apiVersion': 'v1', 'kind': 'Config', 'current-context': 'a',
            'clusters': [{'name': 'a', 'cluster': {'server': self.server, 'certificate-authority': self.ca}}],
            'contexts': [{'name': 'a', 'context': {'cluster': 'a', 'user': 'a'}}],
            'users': [{'name': 'a', 'user': {'token': token}}]}))

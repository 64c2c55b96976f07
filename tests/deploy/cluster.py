"""A real control plane for one test program, and kubectl on it as a reader of a guide runs it."""

import json
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from waiting import eventually

ROOT = Path(__file__).resolve().parent.parent.parent
SKIPPED = 77
# What KWOK serves as logs of the scheduler's pods, and where it forwards connections to their port.
PLAYED = """
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterLogs
metadata: {{name: scheduler}}
spec:
  selector: {{matchNamespaces: [kube-system]}}
  logs:
  - {{containers: [kube-scheduler], logsFile: {log}, previousLogsFile: {log}, follow: true}}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterLogs
metadata: {{name: others}}
spec:
  selector: {{matchNamespaces: [monitoring, default]}}
  logs:
  - {{logsFile: {silence}, follow: true}}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: ClusterPortForward
metadata: {{name: scheduler}}
spec:
  selector: {{matchNamespaces: [kube-system]}}
  forwards:
  - {{ports: [10259], target: {{address: 127.0.0.1, port: {port}}}}}
"""
LOGGED = '2026-01-01T00:00:00.000000000Z stderr F '  # prefix of each line, as kubelets write it


def free_port():
    with socket.socket() as one:
        one.bind(('127.0.0.1', 0))
        return one.getsockname()[1]


def with_local_webhook(text):
    """The API server calls the webhook on this machine instead of through the Service, because KWOK does not run the pods."""
    port = free_port()
    hook = f'webhook: {{port: {port}, url: "https://127.0.0.1:{port}"}}'
    text, written = re.subn(r'(?m)^( +)recovery:\n', rf'\1recovery:\n\1  {hook}\n', text)
    if written:
        return text
    args = f'{{recovery: {{{hook}}}}}'
    return re.sub(r'(?m)^( *)pluginConfig:\n', rf'\g<0>\1- {{name: Podrescheduling, args: {args}}}\n', text, count=1)


class Control:
    """KWOK plays the kubelets: pods run at once and do nothing. The scheduler runs as a process beside it, serves `port`, and
    its output is copied to `log`, so that `kubectl logs` and `kubectl port-forward` have something to show."""

    def __init__(self, rig, nodes=3):
        self.rig = rig
        self.name = f'deploy-{os.getpid()}'
        self.temporary = tempfile.TemporaryDirectory()
        self.log, self.port = Path(self.temporary.name) / 'log', free_port()
        silence = Path(self.temporary.name) / 'silence'
        self.log.touch()
        silence.touch()
        played = Path(self.temporary.name) / 'kwok.yaml'
        played.write_text(PLAYED.format(log=self.log, silence=silence, port=self.port))
        parts = 'etcd,kube-apiserver,kube-controller-manager,kube-scheduler,kwok'
        done = subprocess.run([rig, 'up', self.name, '--json', '--nodes', str(nodes), '--with', parts,
                               '--kwok-arg', f'--config={played}', '--keep-alive-of', str(os.getpid())],
                              capture_output=True, text=True)
        if done.returncode == 3:
            print(f'skipped: the real control plane is not built here: {done.stderr.strip().splitlines()[-1]}')
            sys.exit(SKIPPED)
        if done.returncode:
            raise RuntimeError(done.stderr)
        about = json.loads(done.stdout)
        self.server, self.ca, self.kubeconfig = about['server'], about['ca_file'], about['kubeconfig']
        self.kubectl = str(Path(about['bin_dir']) / 'kubectl')
        # The API server reads the kubelets' port from the node status.
        status = {'addresses': [{'type': 'InternalIP', 'address': '127.0.0.1'}],
                  'daemonEndpoints': {'kubeletEndpoint': {'Port': about['ports']['kwok']}}}
        self.kubelet = json.dumps({'status': status})
        self.shell(f"kubectl patch node {' '.join(f'kwok-{each}' for each in range(nodes))} --subresource=status --type=merge "
                   f"-p '{self.kubelet}'")

    def down(self):
        subprocess.run([self.rig, 'down', self.name], capture_output=True)
        self.temporary.cleanup()

    def rig_command(self, what, component):
        subprocess.run([self.rig, what, self.name, component], check=True, capture_output=True)

    def copy_log(self, process, to):
        """Copies the output of the process to a file and to the file that `kubectl logs` reads, until the process ends."""
        self.log.write_text('')

        def copy():
            with open(to, 'w') as plain, open(self.log, 'a') as played:
                for line in process.stdout:
                    plain.write(line)
                    played.write(LOGGED + line)
                    plain.flush()
                    played.flush()
        thread = threading.Thread(target=copy, daemon=True)
        thread.start()
        return thread

    def environment(self):
        """The environment with `kubectl` first on PATH, so that scripts and pipes find it too."""
        path = f'{Path(self.kubectl).parent}:{os.environ["PATH"]}'
        return dict(os.environ, KUBECONFIG=self.kubeconfig, PATH=path)

    def shell(self, line, code=0):
        """Runs a line of a guide, from the repository's root; returns its output."""
        done = subprocess.run(['bash', '-c', 'set -o pipefail\n' + line], capture_output=True, text=True, cwd=ROOT,
                              env=self.environment(), timeout=300, stdin=subprocess.DEVNULL)
        if code is not None and done.returncode != code:
            raise AssertionError(f'{line}\nended with {done.returncode}:\n{done.stdout}{done.stderr}')
        return done.stdout

    def json(self, arguments):
        return json.loads(self.shell(f'kubectl {arguments} -o json'))

    def objects(self):
        """All objects, except those that controllers create and delete by themselves."""
        kinds = self.shell('kubectl api-resources --verbs=list -o name').split()
        passing = ('events', 'events.events.k8s.io', 'componentstatuses', 'ipaddresses.networking.k8s.io')
        kinds = ','.join(kind for kind in kinds if kind not in passing)
        return set(self.shell(f'kubectl get -A --ignore-not-found {kinds} -o jsonpath='
                              + shlex.quote('{range .items[*]}{.kind}/{.metadata.namespace}/{.metadata.name}{"\\n"}{end}')
                              ).split())

    def untouched(self):
        """The objects of an unused cluster, once its own controllers have created theirs."""
        wanted = {f'ConfigMap/{ns}/kube-root-ca.crt' for ns in ('default', 'kube-system', 'kube-public', 'kube-node-lease')}
        wanted |= {f'ServiceAccount/{ns}/default' for ns in ('default', 'kube-system', 'kube-public', 'kube-node-lease')}
        seen = [set()]

        def still():
            seen.append(self.objects())
            return wanted <= seen[-1] and seen[-1] == seen[-2]
        eventually(still, lambda: f'the objects no longer change: {wanted - seen[-1]} are missing, {seen[-1] ^ seen[-2]} changed')
        return seen[-1]

    def token_kubeconfig(self, path, account='rescheduler-scheduler', namespace='kube-system'):
        """A kubeconfig with only the token of that ServiceAccount."""
        token = self.shell(f'kubectl create token {account} -n {namespace}').strip()
        Path(path).write_text(json.dumps({
            'apiVersion': 'v1', 'kind': 'Config', 'current-context': 'a',
            'clusters': [{'name': 'a', 'cluster': {'server': self.server, 'certificate-authority': self.ca}}],
            'contexts': [{'name': 'a', 'context': {'cluster': 'a', 'user': 'a'}}],
            'users': [{'name': 'a', 'user': {'token': token}}]}))

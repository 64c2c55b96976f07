#!/usr/bin/env bash
# Installs Prometheus, node_exporter, Grafana and the rescheduler's dashboards into the namespace `monitoring`, or removes them.
#
#   tools/monitoring/deploy-enhanced-monitoring.sh [--delete] [--no-wait] [--kubeconfig FILE]
#
# The Grafana password is $GRAFANA_ADMIN_PASSWORD, or a random one of the first run, kept in the Secret grafana-admin. The script
# can be run again at any time. --delete keeps the namespace itself, because it may contain other objects.
set -euo pipefail

manifests=$(cd "$(dirname "$0")/../../manifests" && pwd)
files=(-f "$manifests/node-monitor.yaml" -f "$manifests/grafana-dashboard.yaml" -f "$manifests/grafana-service.yaml")
delete='' wait=yes
fail() { printf 'deploy-enhanced-monitoring: %s\n' "$*" >&2; exit 1; }

while [ $# -gt 0 ]; do
  case $1 in
    -h|--help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --delete) delete=yes; shift ;;
    --no-wait) wait=''; shift ;;
    --kubeconfig) [ $# -ge 2 ] || fail "$1 needs a value; see --help"; export KUBECONFIG=$2; shift 2 ;;
    *) fail "'$1' is not understood; see --help" ;;
  esac
done
kubectl=${KUBECTL:-kubectl}
command -v "$kubectl" >/dev/null || fail "kubectl is not on PATH; install it or name it in KUBECTL"
problem=$("$kubectl" get --raw /version 2>&1 >/dev/null) || fail "the cluster does not answer: ${problem##*$'\n'}"

if [ -n "$delete" ]; then
  "$kubectl" delete --ignore-not-found "${files[@]}"
  "$kubectl" delete --ignore-not-found -n monitoring secret grafana-admin
  exit 0
fi

"$kubectl" get namespace monitoring >/dev/null 2>&1 || "$kubectl" create namespace monitoring
if [ -n "${GRAFANA_ADMIN_PASSWORD:-}" ] || ! "$kubectl" get secret -n monitoring grafana-admin >/dev/null 2>&1; then
  # Through standard input: other users of this machine can read arguments.
  printf '%s' "${GRAFANA_ADMIN_PASSWORD:-$(head -c 18 /dev/urandom | base64 | tr '+/' '-_')}" |
    "$kubectl" create secret generic grafana-admin -n monitoring --from-file=password=/dev/stdin --dry-run=client -o yaml |
    "$kubectl" apply -f -
fi
"$kubectl" apply --server-side --force-conflicts "${files[@]}"
if [ -n "$wait" ]; then
  for what in deployment/prometheus deployment/grafana daemonset/prometheus-node-exporter; do
    "$kubectl" rollout status -n monitoring "$what" --timeout=5m || fail "$what is not ready after five minutes"
  done
fi
cat <<TEXT

Grafana: kubectl port-forward -n monitoring svc/grafana-service 3000:3000, then http://localhost:3000, user admin, password
  kubectl get secret -n monitoring grafana-admin -o jsonpath='{.data.password}' | base64 -d
TEXT

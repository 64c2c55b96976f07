#!/usr/bin/env bash
# Places pods with a scheduler and reports the time and how evenly the pods are spread.
#
#   scripts/run-performance-tests.sh [--pods N] [--scheduler NAME] [--timeout SECONDS] [--keep] [--kubeconfig FILE]
#
# Creates the namespace rescheduler-performance with a Deployment of N idle pods (default 100), waits until each has a node,
# prints the result and deletes everything again (--keep: keeps it). Times are the cluster's own, in whole seconds. Works with
# any cluster that kubectl reaches; a second run starts from scratch.
set -euo pipefail

namespace=rescheduler-performance pods=100 scheduler=rescheduler-scheduler timeout=300 keep=
fail() { printf 'run-performance-tests: %s\n' "$*" >&2; exit 1; }

while [ $# -gt 0 ]; do
  case $1 in
    -h|--help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --keep) keep=yes; shift ;;
    --pods|--scheduler|--timeout|--kubeconfig)
      [ $# -ge 2 ] || fail "$1 needs a value; see --help"
      case $1 in
        --pods) pods=$2 ;; --scheduler) scheduler=$2 ;; --timeout) timeout=$2 ;; --kubeconfig) export KUBECONFIG=$2 ;;
      esac
      shift 2 ;;
    *) fail "'$1' is not understood; see --help" ;;
  esac
done
[[ $pods =~ ^[1-9][0-9]*$ ]] || fail "--pods is a number above 0, not '$pods'"
[[ $timeout =~ ^[1-9][0-9]*$ ]] || fail "--timeout is a number of seconds above 0, not '$timeout'"
kubectl=${KUBECTL:-kubectl}
command -v "$kubectl" >/dev/null || fail "kubectl is not on PATH; install it or name it in KUBECTL"
problem=$("$kubectl" get --raw /version 2>&1 >/dev/null) || fail "the cluster does not answer: ${problem##*$'\n'}"

clean_up() { "$kubectl" delete namespace "$namespace" --ignore-not-found --wait=true >/dev/null; }
clean_up
[ -n "$keep" ] || trap clean_up EXIT

"$kubectl" create namespace "$namespace" >/dev/null
"$kubectl" apply -f - >/dev/null <<YAML
apiVersion: apps/v1
kind: Deployment
metadata: {name: performance, namespace: $namespace}
spec:
  replicas: $pods
  selector: {matchLabels: {app: performance}}
  template:
    metadata: {labels: {app: performance}}
    spec:
      schedulerName: $scheduler
      terminationGracePeriodSeconds: 0
      containers:
      - name: pause
        image: registry.k8s.io/pause:3.10
        resources: {requests: {cpu: 10m, memory: 10Mi}}
YAML

# One line for each pod: node, creation time, scheduling time.
lines='{range .items[*]}{.spec.nodeName}{"|"}{.metadata.creationTimestamp}{"|"}'
lines+='{.status.conditions[?(@.type=="PodScheduled")].lastTransitionTime}{"\n"}{end}'
end=$((SECONDS + timeout)) placed=0
while :; do
  seen=$("$kubectl" get pods -n "$namespace" -o jsonpath="$lines")
  placed=$(grep -c '^[^|]' <<<"$seen" || true)  # grep fails if it counts 0
  [ "$placed" -lt "$pods" ] || break
  if [ $SECONDS -ge $end ]; then
    # Only a hint beside the failure below; without an event there is none.
    "$kubectl" get events -n "$namespace" --field-selector reason=FailedScheduling -o jsonpath='{.items[0].message}' >&2 || true
    fail "$placed of $pods pods have a node after $timeout s; does a scheduler named $scheduler run?"
  fi
  sleep 1
done

moves=$("$kubectl" get events -A --field-selector reason=Rescheduled --no-headers 2>/dev/null | wc -l)
python3 - "$pods" "$scheduler" "$moves" <<'PYTHON' 3<<<"$seen"
import collections, datetime, os, sys
pods, scheduler, moves = sys.argv[1:]
rows = [line.split('|') for line in os.fdopen(3).read().splitlines() if line]
moment = lambda text: datetime.datetime.fromisoformat(text.replace('Z', '+00:00'))
waits = sorted((moment(placed) - moment(created)).total_seconds() for _, created, placed in rows)
took = max((max(moment(r[2]) for r in rows) - min(moment(r[1]) for r in rows)).total_seconds(), 1)
nodes = collections.Counter(row[0] for row in rows)
print(f'scheduler       {scheduler}')
print(f'pods            {len(rows)} of {pods} placed in {took:.0f} s: {len(rows) / took:.0f} a second or more')
print(f'waited          half of them at most {waits[len(waits) // 2]:.0f} s, all of them at most {waits[-1]:.0f} s')
print(f'nodes           {len(nodes)} used, {min(nodes.values())} to {max(nodes.values())} pods each')
print(f'moves           {moves} events Rescheduled in the cluster')
PYTHON

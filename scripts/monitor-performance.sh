#!/usr/bin/env bash
# Watches a cluster for some seconds and prints a line for every sample: running and pending pods, their spread, moves.
#
#   scripts/monitor-performance.sh SECONDS [--every SECONDS] [--metrics-url URL] [--kubeconfig FILE]
#
# The scheduler's own numbers (balance score, attempts, moves) come from its metrics, through the API server's proxy to the
# Service kube-system/rescheduler-scheduler or from URL; if neither answers, their columns show a dash.
set -euo pipefail

every=5 url='' seconds=''
fail() { printf 'monitor-performance: %s\n' "$*" >&2; exit 1; }

while [ $# -gt 0 ]; do
  case $1 in
    -h|--help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --every|--metrics-url|--kubeconfig)
      [ $# -ge 2 ] || fail "$1 needs a value; see --help"
      case $1 in --every) every=$2 ;; --metrics-url) url=$2 ;; --kubeconfig) export KUBECONFIG=$2 ;; esac
      shift 2 ;;
    -*) fail "'$1' is not understood; see --help" ;;
    *) [ -z "$seconds" ] || fail "one number of seconds, please; see --help"; seconds=$1; shift ;;
  esac
done
[[ $seconds =~ ^[1-9][0-9]*$ ]] || fail "how many seconds? For five minutes: $0 300"
[[ $every =~ ^[1-9][0-9]*$ ]] || fail "--every is a number of seconds above 0, not '$every'"
kubectl=${KUBECTL:-kubectl}
command -v "$kubectl" >/dev/null || fail "kubectl is not on PATH; install it or name it in KUBECTL"
problem=$("$kubectl" get --raw /version 2>&1 >/dev/null) || fail "the cluster does not answer: ${problem##*$'\n'}"

# Prints nothing if the daemon does not answer: the table then shows "-" and continues.
metrics() {
  if [ -n "$url" ]; then
    curl -fsSk --max-time 5 "$url" 2>/dev/null || true
  else
    "$kubectl" get --raw /api/v1/namespaces/kube-system/services/https:rescheduler-scheduler:https/proxy/metrics \
      --request-timeout=5s 2>/dev/null || true
  fi
}

# The sum over the series of a metric; a dash if there is none.
sum_of() { awk -v name="$1" -v only="${2:-}" '{split($1, part, "{")}
  part[1] == name && index($0, only) && $NF == $NF + 0 {sum += $NF; found = 1} END {print found ? sum : "-"}'; }

printf '%-10s %8s %8s %6s %11s %8s %10s %8s\n' time running waiting nodes pods/node balance placed moved
end=$((SECONDS + seconds))
while :; do
  pods=$("$kubectl" get pods -A --no-headers -o custom-columns=PHASE:.status.phase,NODE:.spec.nodeName)
  text=$(metrics)
  awk -v time="$(date +%H:%M:%S)" -v balance="$(sum_of rescheduler_load_balance_score <<<"$text")" \
    -v placed="$(sum_of scheduler_schedule_attempts_total 'result="scheduled"' <<<"$text")" \
    -v moved="$(sum_of rescheduler_pod_movements_total 'result="succeeded"' <<<"$text")" '
    $1 == "Running" {running++} $1 == "Pending" {waiting++} $2 != "<none>" && NF == 2 {pods[$2]++}
    END {
      for (node in pods) { nodes++; if (!least || pods[node] < least) least = pods[node]; if (pods[node] > most) most = pods[node] }
      printf "%-10s %8d %8d %6d %11s %8s %10s %8s\n", time, running, waiting, nodes, (least + 0) "-" (most + 0),
        balance, placed, moved
    }' <<<"$pods"
  [ $((SECONDS + every)) -le $end ] || break
  sleep "$every"
done

"""The table of bench/peers: a row for each contender on each workload, over all its rounds."""

import subprocess
import textwrap

from repeatable import rounds

from .measure import BARE, KUBE_SCHEDULER, OURS

HEADINGS = ["workload", "nodes", "pods", "who", "pods/s", "of the limit", "CPU ms/pod", "peak MB", "requests/pod",
            "server CPU ms/pod"]
# In addition to pods/s: key of a round, and digits shown.
COSTS = (("cpu_ms", 2), ("peak_mb", 0), ("requests", 2), ("server_cpu_ms", 2))


def values(measured, key):
    return [one[key] for one in measured]


def cell(measured, peer, key, digits):
    """Median and range; for ours also the ratio to the peer."""
    shown = rounds.median_and_range(values(measured, key), digits)
    return f"{shown}, {rounds.times(values(measured, key), values(peer, key))}" if peer else shown


def rows(result):
    by_name = result["rounds"]
    limit, peer = by_name.get(BARE), by_name.get(KUBE_SCHEDULER)
    first = [result["workload"], str(result["nodes"]), str(result["pods"])]
    lines = []
    if limit:
        lines.append([BARE, rounds.median_and_range(values(limit, "pods_per_second")), *[""] * (1 + len(COSTS))])
    for name in (KUBE_SCHEDULER, OURS):
        measured = by_name.get(name)
        if not measured:
            continue
        beside = peer if name == OURS else None
        share = rounds.times(values(measured, "pods_per_second"), values(limit, "pods_per_second"))[:-1] if limit else "-"
        lines.append([name, cell(measured, beside, "pods_per_second", 0), share,
                      *(cell(measured, beside, key, digits) for key, digits in COSTS)])
    return [(first if number == 0 else [""] * 3) + line for number, line in enumerate(lines)]


def left_over(result):
    """What did not finish: one sentence each."""
    where = f"{result['workload']}, {result['nodes']} nodes: "
    for name in (KUBE_SCHEDULER, OURS):
        bound = min(values(result["rounds"].get(name, []), "bound"), default=result["pods"])
        if bound < result["pods"]:
            yield f"{where}{name} bound {bound} of {result['pods']} pods in its worst round."
    for name, count in sorted(result["failed"].items()):
        yield f"{where}{name} failed in {count} rounds."


def version_of(*argv):
    try:
        lines = subprocess.run(argv, capture_output=True, text=True, timeout=20).stdout.strip().splitlines()
    except OSError:
        return "absent"
    return lines[0] if lines else "unknown"


def versions(plane, ours, contenders):
    lines = [version_of(plane.bin_dir / "kube-scheduler", "--version") + " (kube-scheduler, kube-apiserver)",
             version_of(plane.bin_dir / "etcd", "--version")]
    if OURS in contenders:
        lines.append(version_of(ours, "version"))
    return f"Versions: {'; '.join(lines)}."


def legend():
    return textwrap.fill(
        "Ours with how many times kube-scheduler's. pods/s: from the first binding to the last, all pods waiting at the "
        "start; for preemption, which deletes victims first, from the start. The limit, bare binding: bindings that a "
        "client posts over 64 connections without deciding anything. CPU: the scheduler's own, receiving the pods and "
        "sending the events included. Requests: about pods and events, as the API server counted them. Server: API server "
        "and etcd, from the start to the last event.", 120)


def as_markdown(results):
    lines = [rounds.table(HEADINGS, [line for result in results for line in rows(result)])]
    lines += ["\n" + sentence for result in results for sentence in left_over(result)]
    return "\n".join(lines)

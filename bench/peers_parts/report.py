"""The table, for a terminal and for docs/benchmarks.md."""

import os
import platform
import statistics
import subprocess
import textwrap

from .measure import BARE, KUBE_SCHEDULER, OURS

MEDIANS = ("pods_per_second", "cpu_ms", "receiving_cpu_ms", "server_cpu_ms", "peak_mb", "requests", "seconds_to_first")
HEADINGS = ["workload", "nodes", "pods", "pods/s", "of the limit", "CPU ms/pod", "peak MB", "requests/pod",
            "server CPU ms/pod"]


def median_of(rounds):
    """None when no round came to its end."""
    if not rounds:
        return None
    return {key: statistics.median(one[key] for one in rounds) for key in MEDIANS if key in rounds[0]} | {
        "bound": min(one["bound"] for one in rounds)}


def pair(ours, peer, key, digits):
    """"ours / peer (how many times)", or what there is of it."""
    if ours and peer:
        times = f" ({ours[key] / peer[key]:.2f}x)" if peer[key] else ""
        return f"{ours[key]:.{digits}f} / {peer[key]:.{digits}f}{times}"
    one = ours or peer
    return f"{one[key]:.{digits}f}" if one else "-"


def share(one, limit):
    return f"{one['pods_per_second'] / limit['pods_per_second']:.2f}" if one and limit else "-"


def row(result):
    ours, peer, limit = (median_of(result["rounds"].get(name, [])) for name in (OURS, KUBE_SCHEDULER, BARE))
    shares = " / ".join(share(one, limit) for one in (ours, peer) if one) or "-"
    left = [f"{name}: {one['bound']} of {result['pods']} bound" for name, one in ((OURS, ours), (KUBE_SCHEDULER, peer))
            if one and one["bound"] < result["pods"]]
    left += [f"{name} failed" for name in result["failed"]]
    cells = [result["workload"], str(result["nodes"]), str(result["pods"]),
             pair(ours, peer, "pods_per_second", 0),
             shares + (f" of {limit['pods_per_second']:.0f}" if limit else ""),
             pair(ours, peer, "cpu_ms", 2), pair(ours, peer, "peak_mb", 0), pair(ours, peer, "requests", 2),
             pair(ours, peer, "server_cpu_ms", 2)]
    return cells, left


def version_of(*argv):
    try:
        said = subprocess.run(argv, capture_output=True, text=True, timeout=20).stdout.strip().splitlines()
    except OSError:
        return "absent"
    return said[0] if said else "unknown"


def machine():
    model = "unknown"
    with open("/proc/cpuinfo") as file:
        model = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), model)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores ({platform.machine()}, {model}, shared with the control plane), {memory:.0f} GiB"


def context(plane, ours, contenders, rounds, date):
    lines = [f"Machine: {machine()}."]
    said = [version_of(plane.bin_dir / "kube-scheduler", "--version") + " (kube-scheduler, kube-apiserver)",
            version_of(plane.bin_dir / "etcd", "--version")]
    if OURS in contenders:
        said.append(version_of(ours, "version"))
    lines.append(f"Versions: {'; '.join(said)}.")
    lines.append(f"Median of {rounds} rounds{', ' + date if date else ''}.")
    return lines


def legend(contenders):
    whose = "Ours / kube-scheduler (ours over its)." if len(contenders) == 2 else f"{contenders[0]} alone."
    return textwrap.fill(
        f"{whose} pods/s: from the first binding to the last, all pods waiting at the start; for preemption, which frees "
        "room first, from the start. The limit: bindings a client posts over 64 connections without deciding anything, "
        "in the same rounds. CPU: the scheduler's own, receiving the pods and sending the events included. Requests: "
        "about pods and events, as the API server counted them. Server: API server and etcd, from the start to the last "
        "event.", 120)


def as_text(results):
    rows = [row(result) for result in results]
    table = [HEADINGS, *(cells for cells, _ in rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEADINGS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in table]
    for result, (_, left) in zip(results, rows):
        lines += [f"! {result['workload']}, {result['nodes']} nodes: {one}" for one in left]
    return "\n".join(lines)


def as_markdown(results):
    rows = [row(result) for result in results]
    lines = ["| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
    lines += ["| " + " | ".join(cells) + " |" for cells, _ in rows]
    lines += [f"\n{result['workload']}, {result['nodes']} nodes: {one}." for result, (_, left) in zip(results, rows)
              for one in left]
    return "\n".join(lines)

#!/usr/bin/env python3
"""Scenarios that differed once. Each is a folder of regressions/ with the dump and kube-scheduler's decision about it.

  regressions.py --ours rescheduler       replays all of them, without kube-scheduler
"""

import argparse
import dataclasses
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import compare  # noqa: E402
from api import Refused  # noqa: E402
from peer import Unsteady  # noqa: E402

FOLDER = HERE / "regressions"


def differing(rescheduler, dump, peer):
    """The unexplained differences."""
    # Only another profile needs the file: by default both schedulers have the same settings.
    config = compare.PROFILES if peer["profile"] != "default-scheduler" else None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compare.put(folder, "pair", dump, peer)
        compare.decide(rescheduler, folder, config)
        return compare.judge(folder, "pair", peer)[1]


PARTS = ("nodes", "pods", "objects", "nominees")


def without(scenario, part, thing):
    """The scenario without one of its objects, or None if it cannot be removed."""
    left = [other for other in getattr(scenario, part) if other is not thing]
    smaller = dataclasses.replace(scenario, **{part: left})
    if part == "nodes":  # its pods are removed too
        name = thing["metadata"]["name"]
        if not left or name == scenario.nominated or any(node == name for _, node in scenario.nominees):
            return None
        smaller.pods = [pod for pod in scenario.pods if pod["spec"]["nodeName"] != name]
    return smaller


def shrink(scenario, still_differs, sweeps=3):
    """A scenario with fewer objects that differs in the same way; `still_differs` lets both schedulers decide a smaller one."""
    for _ in range(sweeps):
        before = scenario
        for part in PARTS:
            for thing in list(getattr(scenario, part)):
                if not any(other is thing for other in getattr(scenario, part)):
                    continue
                smaller = without(scenario, part, thing)
                if smaller and still_differs(smaller):
                    scenario = smaller
        if scenario is before:
            break
    return scenario


def record(peer, rescheduler, scenario, folder=FOLDER):
    """Decides the scenario again while it can be made smaller, and keeps the smallest. Returns its folder."""
    best = None

    def decide(candidate):
        try:
            dump, result = peer.decide(candidate)
        except (Refused, TimeoutError, Unsteady):  # the removed object was needed by another one
            return None
        return dump, result, differing(rescheduler, dump, result)

    def still_differs(candidate):
        nonlocal best
        answer = decide(candidate)
        if not answer or not kinds <= {difference.what for difference in answer[2]}:
            return False
        best = answer
        return True

    best = decide(scenario)
    if not best or not best[2]:
        return None
    kinds = {difference.what for difference in best[2]}
    shrink(scenario, still_differs)
    dump, result, found = best
    name = f"{'-'.join(sorted({difference.what for difference in found}))}-{scenario.name}"
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "dump.json").write_text(json.dumps(dump, indent=1) + "\n")
    (place / "peer.json").write_text(json.dumps(result, indent=1) + "\n")
    return place


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", required=True)
    parser.add_argument("--folder", type=pathlib.Path, default=FOLDER)
    arguments = parser.parse_args(argv)
    failed = 0
    places = sorted(path.parent for path in arguments.folder.glob("*/peer.json"))
    for place in places:
        found = differing(arguments.ours, compare.load(place / "dump.json"), compare.load(place / "peer.json"))
        for difference in found:
            print(f"{place.name}: {difference}")
        failed += bool(found)
    print(f"{len(places)} regressions, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

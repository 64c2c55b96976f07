#!/usr/bin/env python3
"""Scenarios that differed once: each is a folder of regressions/ with the dump and what kube-scheduler decided on it.

  regressions.py --ours rescheduler       replays all of them, without kube-scheduler
"""

import argparse
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import compare  # noqa: E402
import explained  # noqa: E402

FOLDER = HERE / "regressions"


def ours(rescheduler, dump_file, pod):
    answer = subprocess.run([rescheduler, "explain", "--dump", str(dump_file), "--output", "json", pod],
                            capture_output=True, text=True)
    if answer.returncode != 0:
        raise RuntimeError(f"rescheduler explain failed ({answer.returncode}): {answer.stderr.strip()}")
    return json.loads(answer.stdout)


def differing(rescheduler, dump, peer):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(dump, file)
        file.flush()
        result = ours(rescheduler, file.name, dump["pod"])
    return [difference for difference in compare.differences(peer, result)
            if not explained.explanation(difference, dump, peer, result)]


def without(scenario):
    """The scenario without one thing, for every thing that can be missing."""
    for part in ("nodes", "pods", "objects", "nominees"):
        things = getattr(scenario, part)
        for index in reversed(range(len(things))):
            if part == "nodes" and len(things) == 1:
                continue
            smaller = dataclasses.replace(scenario, **{part: things[:index] + things[index + 1:]})
            if part == "nodes":  # its pods go with it
                name = things[index]["metadata"]["name"]
                if name == scenario.nominated or any(node == name for _, node in scenario.nominees):
                    continue
                smaller.pods = [pod for pod in scenario.pods if pod["spec"]["nodeName"] != name]
            yield smaller


def shrink(scenario, still_differs, passes=3):
    """A smaller scenario that differs in the same way, if there is one. `still_differs` decides it again."""
    for _ in range(passes):
        changed = False
        sizes = None
        while sizes != (sizes := tuple(len(getattr(scenario, part)) for part in ("nodes", "pods", "objects", "nominees"))):
            for smaller in without(scenario):
                if still_differs(smaller):
                    scenario, changed = smaller, True
                    break
        if not changed:
            break
    return scenario


def record(peer, rescheduler, scenario, folder=FOLDER):
    """Decides the scenario again while it can be made smaller, and keeps the smallest. Returns where."""
    last = {}

    def decide(candidate):
        try:
            dump, result = peer.decide(candidate)
        except Exception:  # noqa: BLE001 - a thing was missing that another needs: not a smaller scenario
            return None
        return dump, result, differing(rescheduler, dump, result)

    first = decide(scenario)
    if not first or not first[2]:
        return None
    kinds = {difference.what for difference in first[2]}
    last["best"] = first

    def still_differs(candidate):
        answer = decide(candidate)
        if not answer or not kinds <= {difference.what for difference in answer[2]}:
            return False
        last["best"] = answer
        return True

    shrink(scenario, still_differs)
    dump, result, found = last["best"]
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

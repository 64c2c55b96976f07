#!/usr/bin/env python3
"""Compares our decisions with kube-scheduler's.

  compare.py DIR [--ours rescheduler]

DIR has NAME.dump.json and NAME.peer.json as `run --keep DIR` leaves them, and NAME.ours.json, which --ours makes first.
Exit codes: 0 every difference has an explanation and every explanation was used, 1 otherwise.
"""

import argparse
import collections
import dataclasses
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import explained  # noqa: E402

# The profiles of both schedulers.
PROFILES = pathlib.Path(__file__).with_name("profiles.yaml")


@dataclasses.dataclass(frozen=True)
class Difference:
    what: str  # outcome, choice, verdict, code, reasons, score, message, preemption
    where: str  # a node, a plugin on a node, or nothing
    peer: object
    ours: object

    def __str__(self):
        where = f" {self.where}" if self.where else ""
        return f"{self.what}{where}: kube-scheduler {self.peer!r}, ours {self.ours!r}"


def differences(peer, ours):
    """All differences between two decisions about the same dump; empty if they agree."""
    if peer["outcome"] != ours.get("outcome"):
        found = [Difference("outcome", "", peer["outcome"], ours.get("outcome"))]
    else:
        found = list(_choice(peer, ours))
    if peer["outcome"] in ("unschedulable", "nominated", "error") and peer.get("message") != ours.get("message"):
        found.append(Difference("message", "", peer.get("message"), ours.get("message")))
    # A feasible nominated node is chosen without filtering the others, so there is nothing to compare.
    if "nodes" in peer and not peer.get("onlyNominated"):
        found += _nodes(peer, ours)
        if peer["outcome"] == "scheduled" and "reasons" in peer:
            found += _reasons(peer, ours)
    return found


def _choice(peer, ours):
    if peer["outcome"] == "scheduled" and peer["node"] not in ours.get("best", []):
        yield Difference("choice", "", peer["node"], ours.get("best"))
    if peer["outcome"] == "nominated":
        yield from _preemption(peer, ours)


def _preemption(peer, ours):
    theirs = {entry["node"]: entry for entry in peer["preemption"]["candidates"]}
    mine = {entry["node"]: entry for entry in ours.get("preemption", {}).get("candidates", [])}
    for node in sorted(theirs.keys() | mine.keys()):
        expected = (sorted(theirs[node]["victims"]), theirs[node]["pdbViolations"]) if node in theirs else None
        actual = (sorted(mine[node]["victims"]), mine[node]["rank"][0]) if node in mine else None
        if expected != actual:
            yield Difference("preemption", node, expected, actual)
    chosen, own = peer["nominatedNode"], ours.get("nominatedNode")
    if chosen == own:
        if peer["victims"] != sorted(ours.get("victims", [])):
            yield Difference("preemption", f"victims on {chosen}", peer["victims"], sorted(ours.get("victims", [])))
    elif chosen not in mine or own not in mine or mine[chosen]["rank"] != mine[own]["rank"]:
        yield Difference("preemption", "node", (chosen, mine.get(chosen, {}).get("rank")),
                         (own, mine.get(own, {}).get("rank")))


def _nodes(peer, ours):
    mine = {entry["name"]: entry for entry in ours.get("nodes", [])}
    for entry in peer["nodes"]:
        own = mine.get(entry["name"])
        if own is None or own["feasible"] != entry["feasible"]:
            yield Difference("verdict", entry["name"], entry["feasible"], own and (own["feasible"], own.get("reasons")))
        elif "code" in entry and "code" in own and entry["code"] != own["code"]:
            yield Difference("code", entry["name"], entry["code"], own["code"])
        elif "scores" in entry:
            yield from _scores(entry, own)
    # If a search stopped early, kube-scheduler reports the feasible nodes; we must not have found others.
    listed = {entry["name"] for entry in peer["nodes"]}
    for name, own in mine.items():
        if own["feasible"] and name not in listed:
            yield Difference("verdict", name, "not looked at", True)


def _scores(entry, own):
    """A plugin that is skipped and a plugin with score 0 are equal."""
    scores = own.get("scores", {})
    for plugin in sorted(entry["scores"].keys() | scores.keys()):
        expected = entry["scores"].get(plugin, {}).get("weighted", 0)
        actual = scores.get(plugin, {}).get("weighted", 0)
        if expected != actual:
            yield Difference("score", f"{plugin} on {entry['name']}", expected, actual)
    if entry["total"] != own.get("total"):
        yield Difference("score", f"total on {entry['name']}", entry["total"], own.get("total"))


def _reasons(peer, ours):
    mine = collections.Counter(
        reason for entry in ours.get("nodes", []) if not entry["feasible"] for reason in entry.get("reasons", []))
    if dict(mine) != peer["reasons"]:
        yield Difference("reasons", "", peer["reasons"], dict(mine))


def load(path):
    return json.loads(pathlib.Path(path).read_text())


def put(folder, name, dump, peer):
    """Writes a pair, and beside it the dumps that explanations rewrite it to."""
    (folder / f"{name}.dump.json").write_text(json.dumps(dump))
    for why, changed in explained.rewritings(dump):
        (folder / f"{name}.{why}.dump.json").write_text(json.dumps(changed))
    (folder / f"{name}.peer.json").write_text(json.dumps(peer))


def decide(rescheduler, folder, config=None):
    """Our decisions about every dump in the folder."""
    answer = subprocess.run([rescheduler, "explain", *with_config(config), "--batch", str(folder)],
                            capture_output=True, text=True)
    if answer.returncode != 0:
        raise RuntimeError(f"rescheduler explain --batch failed ({answer.returncode}): {answer.stderr.strip()}")


def with_config(config):
    return ["--config", str(config)] if config else []


class Tally:
    """Counts over many scenarios, and the unexplained differences."""

    def __init__(self):
        self.by_theme = collections.defaultdict(collections.Counter)
        self.explained = collections.Counter()  # number of scenarios that differ for this reason
        self.unexplained = []  # (name, [Difference])
        self.compared = self.decided = 0

    def take(self, folder, name, ours_required=True):
        peer = load(folder / f"{name}.peer.json")
        self.decided += 1
        counts = [self.by_theme[theme] for theme in [*peer.get("themes", ["-"]), "all"]]
        for count in counts:
            count["scenarios"] += 1
            count[peer["outcome"]] += 1
        if not (folder / f"{name}.ours.json").exists() and not ours_required:
            return
        self.compared += 1
        used, left = judge(folder, name, peer)
        self.explained.update(used)
        if left:
            self.unexplained.append((name, left))
            for count in counts:
                count["differing"] += 1

    def unused(self):
        """Explanations that no scenario used: kube-scheduler was fixed, or the scenarios no longer provoke the difference."""
        return [entry.name for entry in explained.EXPLAINED if not self.explained[entry.name]]

    def failed(self):
        return bool(self.unexplained or (self.compared and self.unused()))

    def print(self, folder, out=None):
        for name, found in self.unexplained:
            print(f"{name}  {folder / name}.dump.json", file=out)
            for difference in found[:8]:
                print(f"    {difference}", file=out)
            if len(found) > 8:
                print(f"    and {len(found) - 8} more", file=out)
        columns = ["scenarios", "scheduled", "unschedulable", "nominated", "gated", "error", "differing"]
        print(f"{'theme':16}" + "".join(f"{column:>15}" for column in columns), file=out)
        for theme in sorted(self.by_theme, key=lambda theme: (theme == "all", theme)):
            print(f"{theme:16}" + "".join(f"{self.by_theme[theme][column]:15}" for column in columns), file=out)
        for why, count in self.explained.items():
            print(f"explained: {count} by {why}", file=out)
        for why in self.unused() if self.compared else []:
            print(f"never used: the explanation {why}", file=out)
        print(f"{self.decided} decided, {self.compared} compared, {len(self.unexplained)} differ", file=out)


def judge(folder, name, peer):
    """(the explanations that apply, the differences without one)"""
    path = folder / f"{name}.ours.json"
    ours = load(path) if path.exists() else {}
    found = differences(peer, ours)
    if not found:
        return set(), []
    dump = load(folder / f"{name}.dump.json")
    used, left = _judge(found, dump, peer, ours)
    if not left:
        return used, left
    for why, changed in explained.rewritings(dump):
        path = folder / f"{name}.{why}.ours.json"
        if not path.exists():
            continue
        ours = load(path)
        besides, still = _judge(differences(peer, ours), changed, peer, ours)
        if not still:
            return {why} | besides, []
    return set(), left


def _judge(found, dump, peer, ours):
    reasons = [(difference, explained.explanation(difference, dump, peer, ours)) for difference in found]
    return {why for _, why in reasons if why}, [difference for difference, why in reasons if not why]


def names_in(folder):
    return sorted(path.name.removesuffix(".peer.json") for path in folder.glob("*.peer.json"))


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ours", help="the rescheduler binary; without it the decisions are already there")
    arguments = parser.parse_args(argv)
    if arguments.ours:
        decide(arguments.ours, arguments.folder, PROFILES)
    tally = Tally()
    for name in names_in(arguments.folder):
        tally.take(arguments.folder, name, ours_required=bool(arguments.ours))
    tally.print(arguments.folder)
    return 1 if tally.failed() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

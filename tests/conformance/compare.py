#!/usr/bin/env python3
"""Compares our decisions with kube-scheduler's.

  compare.py DIR [--ours rescheduler] [--config profiles.yaml]

DIR has NAME.dump.json and NAME.peer.json as `run --keep DIR` leaves them, and NAME.ours.json, which --ours makes first.
Exit codes: 0 no difference that is not explained, 1 some.
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
    """All differences between two decisions about the same dump; empty where they agree."""
    if peer["outcome"] != ours.get("outcome"):
        found = [Difference("outcome", "", peer["outcome"], ours.get("outcome"))]
    else:
        found = list(_choice(peer, ours))
    if peer["outcome"] in ("unschedulable", "nominated", "error") and peer.get("message") != ours.get("message"):
        found.append(Difference("message", "", peer.get("message"), ours.get("message")))
    # A nominated node that fits is taken without a look at the others: there is nothing to compare.
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


def _scores(entry, own):
    """A plugin that is skipped and one that gives nothing are the same."""
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


def decide(rescheduler, folder, config=None):
    """Our decisions about every dump in the folder."""
    answer = subprocess.run([rescheduler, "explain", *with_config(config), "--batch", str(folder)],
                            capture_output=True, text=True)
    if answer.returncode != 0:
        raise RuntimeError(f"rescheduler explain --batch failed ({answer.returncode}): {answer.stderr.strip()}")


def with_config(config):
    return ["--config", str(config)] if config else []


class Tally:
    """Counts over many scenarios, and the differences nothing explains."""

    def __init__(self, ours_required=False):
        self._ours_required = ours_required
        self.by_theme = collections.defaultdict(collections.Counter)
        self.explained = collections.Counter()
        self.unexplained = []  # (name, [Difference])
        self.compared = self.decided = 0

    def take(self, folder, name):
        peer = load(folder / f"{name}.peer.json")
        self.decided += 1
        counts = [self.by_theme[theme] for theme in [*peer.get("themes", ["-"]), "all"]]
        for count in counts:
            count["scenarios"] += 1
            count[peer["outcome"]] += 1
        ours = folder / f"{name}.ours.json"
        if not ours.exists() and not self._ours_required:
            return
        self.compared += 1
        dump, ours = load(folder / f"{name}.dump.json"), load(ours) if ours.exists() else {}
        left = []
        for difference in differences(peer, ours):
            why = explained.explanation(difference, dump, peer, ours)
            if why:
                self.explained[why] += 1
            else:
                left.append(difference)
        if left:
            self.unexplained.append((name, left))
            for count in counts:
                count["differing"] += 1

    def print(self, folder, out=sys.stdout):
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
        print(f"{self.decided} decided, {self.compared} compared, {len(self.unexplained)} differ", file=out)


def names_in(folder):
    return sorted(path.name.removesuffix(".peer.json") for path in folder.glob("*.peer.json"))


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--ours", help="the rescheduler binary; without it the decisions are already there")
    parser.add_argument("--config", help="what ours is set up with; profiles.yaml for what `run --profiles` left")
    arguments = parser.parse_args(argv)
    if arguments.ours:
        decide(arguments.ours, arguments.folder, arguments.config)
    tally = Tally(ours_required=bool(arguments.ours))
    for name in names_in(arguments.folder):
        tally.take(arguments.folder, name)
    tally.print(arguments.folder)
    return 1 if tally.unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

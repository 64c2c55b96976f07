#!/usr/bin/env python3
"""Objective and feasibility checker for the ROADEF/EURO 2012 machine
reassignment instances.  Standard library only; reads plain or .xz files.

  checker.py MODEL ORIGINAL [NEW]     score NEW (default: ORIGINAL itself)
  checker.py --json MODEL ORIGINAL [NEW]
  checker.py --verify DIR             score every initial assignment in DIR and
                                      compare with reference.csv beside this file
  checker.py --selftest               the worked example of the problem statement

Exit status: 0 feasible (or all verified), 1 infeasible (or a mismatch), 2 usage.
"""
import csv
import json
import lzma
import os
import sys
import time


def read_ints(path):
    if path.endswith(".xz"):
        with lzma.open(path, "rt") as handle:
            return list(map(int, handle.read().split()))
    with open(path) as handle:
        return list(map(int, handle.read().split()))


class Model:
    """One instance, all indices zero-based as in the file."""

    def __init__(self, numbers):
        stream = iter(numbers)
        take = lambda: next(stream)
        many = lambda count: [next(stream) for _ in range(count)]

        self.resources = take()
        self.transient, self.load_weight = [], []
        for _ in range(self.resources):
            self.transient.append(take() != 0)
            self.load_weight.append(take())

        self.machines = take()
        self.neighborhood, self.location = [], []
        self.capacity, self.safety, self.move_matrix = [], [], []
        for _ in range(self.machines):
            self.neighborhood.append(take())
            self.location.append(take())
            self.capacity.append(many(self.resources))
            self.safety.append(many(self.resources))
            self.move_matrix.append(many(self.machines))

        self.services = take()
        self.spread_min, self.depends_on = [], []
        for _ in range(self.services):
            self.spread_min.append(take())
            self.depends_on.append(many(take()))

        self.processes = take()
        self.service_of, self.demand, self.process_move_cost = [], [], []
        for _ in range(self.processes):
            self.service_of.append(take())
            self.demand.append(many(self.resources))
            self.process_move_cost.append(take())

        self.balance = []  # (resource 1, resource 2, target, weight)
        for _ in range(take()):
            first, second, target = many(3)
            self.balance.append((first, second, target, take()))

        self.process_move_weight = take()
        self.service_move_weight = take()
        self.machine_move_weight = take()
        if next(stream, None) is not None:
            raise ValueError("trailing numbers after the model")

    def lower_bound(self):
        """Aggregate bound: treat the fleet as one machine and forbid no move.

        Valid because a sum of max(0, x) is at least max(0, sum of x) and the
        total usage does not depend on the assignment.
        """
        spare, bound = [], 0
        for r in range(self.resources):
            used = sum(row[r] for row in self.demand)
            spare.append(sum(row[r] for row in self.capacity) - used)
            bound += self.load_weight[r] * max(
                0, used - sum(row[r] for row in self.safety))
        for first, second, target, weight in self.balance:
            bound += weight * max(0, target * spare[first] - spare[second])
        return bound

    def shape(self):
        return {
            "machines": self.machines,
            "processes": self.processes,
            "resources": self.resources,
            "transient": sum(self.transient),
            "services": self.services,
            "multi_process_services": sum(
                1 for n in self._service_sizes() if n > 1),
            "neighborhoods": len(set(self.neighborhood)),
            "locations": len(set(self.location)),
            "dependencies": sum(len(d) for d in self.depends_on),
            "balance_objectives": len(self.balance),
        }

    def _service_sizes(self):
        sizes = [0] * self.services
        for s in self.service_of:
            sizes[s] += 1
        return sizes


def score(model, original, new, keep=10):
    """Return (cost breakdown, violations); violations holds counts + samples."""
    violations = {}

    def violate(kind, detail):
        entry = violations.setdefault(kind, {"count": 0, "first": []})
        entry["count"] += 1
        if len(entry["first"]) < keep:
            entry["first"].append(detail)

    for name, solution in (("original", original), ("new", new)):
        if len(solution) != model.processes:
            raise ValueError("%s assigns %d processes, model has %d"
                             % (name, len(solution), model.processes))
        if solution and not (0 <= min(solution) and max(solution) < model.machines):
            raise ValueError("%s names a machine outside the model" % name)

    R = range(model.resources)
    usage = [[0] * model.resources for _ in range(model.machines)]
    leaving = [[0] * model.resources for _ in range(model.machines)]
    hosts = [[] for _ in range(model.services)]
    moved_in_service = [0] * model.services
    process_moves = machine_moves = moved = 0

    for p in range(model.processes):
        source, target = original[p], new[p]
        service, demand = model.service_of[p], model.demand[p]
        row = usage[target]
        for r in R:
            row[r] += demand[r]
        hosts[service].append(target)
        if source != target:
            moved += 1
            moved_in_service[service] += 1
            process_moves += model.process_move_cost[p]
            machine_moves += model.move_matrix[source][target]
            row = leaving[source]
            for r in R:
                if model.transient[r]:
                    row[r] += demand[r]

    load = [0] * model.resources
    balance = [0] * len(model.balance)
    for m in range(model.machines):
        row, cap = usage[m], model.capacity[m]
        for r in R:
            if row[r] > cap[r]:
                violate("capacity", (m, r, row[r], cap[r]))
            elif row[r] + leaving[m][r] > cap[r]:
                violate("transient", (m, r, row[r] + leaving[m][r], cap[r]))
            load[r] += max(0, row[r] - model.safety[m][r])
        for b, (first, second, target, _) in enumerate(model.balance):
            balance[b] += max(0, target * (cap[first] - row[first])
                              - (cap[second] - row[second]))

    present = [{model.neighborhood[m] for m in hosts[s]}
               for s in range(model.services)]
    for s in range(model.services):
        if len(set(hosts[s])) != len(hosts[s]):
            violate("conflict", s)
        if len({model.location[m] for m in hosts[s]}) < model.spread_min[s]:
            violate("spread", s)
        for other in model.depends_on[s]:
            if not present[s] <= present[other]:
                violate("dependency", (s, other))

    cost = {
        "load": sum(w * c for w, c in zip(model.load_weight, load)),
        "balance": sum(b[3] * c for b, c in zip(model.balance, balance)),
        "process_move": model.process_move_weight * process_moves,
        "service_move": model.service_move_weight * max(moved_in_service, default=0),
        "machine_move": model.machine_move_weight * machine_moves,
    }
    cost["total"] = sum(cost.values())
    cost["moved"] = moved
    return cost, violations


def selftest():
    numbers = ("2 1 100 0 10 "
               "4 0 0 30 400 16 80 0 1 4 5 0 0 10 240 8 160 1 0 3 4 "
               "1 1 15 100 12 80 4 3 0 2 1 2 10 100 8 80 5 4 2 0 "
               "2 2 0 1 1 0 "
               "3 0 12 10 1000 0 10 20 100 1 6 200 1 "
               "1 0 1 20 10 1 10 100")
    model = Model(list(map(int, numbers.split())))
    original = [0, 3, 0]
    for new, want in ((original, 4200), ([0, 2, 0], 3510), ([0, 2, 1], 2411)):
        cost, broken = score(model, original, new)
        assert cost["total"] == want and not broken, (new, cost, broken)
    assert "conflict" in score(model, original, [0, 0, 1])[1]
    assert "capacity" in score(model, original, [1, 3, 0])[1]
    assert "dependency" in score(model, original, [0, 1, 2])[1]
    assert "spread" in score(model, original, [0, 1, 0])[1]
    # process 0 goes to machine 2 but its 12 units stay held on machine 0 next
    # to process 2's 6: capacity 17 leaves room for 6, not for 18.
    model.capacity[0][0] = 17
    assert set(score(model, original, [2, 3, 0])[1]) == {"transient", "dependency"}
    print("selftest ok")


def find(directory, stem):
    for suffix in (".txt", ".txt.xz"):
        path = os.path.join(directory, stem + suffix)
        if os.path.exists(path):
            return path
    return None


def verify(directory):
    bad = 0
    print("%-5s %8s %9s %14s %14s %-6s %-10s %14s %6s" % (
        "inst", "machines", "processes", "computed", "published", "match",
        "feasible", "lower_bound", "sec"))
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "reference.csv")) as handle:
        rows = list(csv.DictReader(handle))
    for row in rows:
        name = row["instance"]
        model_path = find(directory, "model_" + name)
        start_path = find(directory, "assignment_" + name)
        if not (model_path and start_path):
            print("%-5s model file not present" % name)
            continue
        began = time.time()
        model = Model(read_ints(model_path))
        start = read_ints(start_path)
        cost, broken = score(model, start, start)
        published = int(row["initial"])
        good = cost["total"] == published and not broken
        bad += not good
        print("%-5s %8d %9d %14d %14d %-6s %-10s %14d %6.1f" % (
            name, model.machines, model.processes, cost["total"], published,
            "yes" if cost["total"] == published else "NO",
            "yes" if not broken else ",".join(broken), model.lower_bound(),
            time.time() - began), flush=True)
    return bad


def main(argv):
    as_json = "--json" in argv
    argv = [a for a in argv if a != "--json"]
    if argv == ["--selftest"]:
        selftest()
        return 0
    if len(argv) == 2 and argv[0] == "--verify":
        return 1 if verify(argv[1]) else 0
    if len(argv) not in (2, 3) or argv[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    model = Model(read_ints(argv[0]))
    original = read_ints(argv[1])
    new = read_ints(argv[-1])
    cost, broken = score(model, original, new)
    report = {"cost": cost, "feasible": not broken, "violations": broken,
              "lower_bound": model.lower_bound(), "shape": model.shape()}
    if as_json:
        print(json.dumps(report))
    else:
        for key in ("load", "balance", "process_move", "service_move",
                    "machine_move", "total", "moved"):
            print("%-13s %d" % (key, cost[key]))
        print("%-13s %d" % ("lower_bound", report["lower_bound"]))
        print("%-13s %s" % ("feasible", "yes" if not broken else "NO"))
        for kind, entry in sorted(broken.items()):
            print("  %-11s %d violated, first %s"
                  % (kind, entry["count"], entry["first"]))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

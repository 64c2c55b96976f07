"""The table of bench/descheduler: a row for the start and one for each contender, over all its rounds."""

from repeatable import rounds

from . import contenders

HEADINGS = ["", "pods ended", "CPU deviation", "CPU maximum", "memory deviation", "memory maximum", "seconds", "MB"]


def row(name, results):
    def spread(resource, which):
        return rounds.median_and_range([one["after"][resource][which] for one in results], 1)

    ended = rounds.median_and_range([one["ended"] for one in results])
    waiting = max(one["waiting"] for one in results)
    unsettled = sum(not one["settled"] for one in results)
    memory = [f"{who} {rounds.median_and_range([one['peak_mb'][who] for one in results])}" for who in results[0]["peak_mb"]]
    return [contenders.ALL[name].title,
            ended + (f", up to {waiting} without a node" if waiting else ""),
            *(spread(resource, which) for resource in ("cpu", "memory") for which in (0, 1)),
            rounds.median_and_range([one["seconds"] for one in results])
            + (f", not settled in {unsettled} of {len(results)}" if unsettled else ""),
            ", ".join(memory)]


def as_table(results):
    """`results` has every round of every contender, in the order in which they were measured."""
    before = results[0]["before"]
    start = ["at the start", "", *(f"{before[resource][which]:.1f}" for resource in ("cpu", "memory") for which in (0, 1)),
             "", ""]
    measured = [name for name in contenders.ALL if any(one["who"] == name for one in results)]
    return rounds.table(HEADINGS, [start, *(row(name, [one for one in results if one["who"] == name]) for name in measured)])

"""Contenders alternate for several rounds, and the table shows how far the rounds differ."""

import statistics

LEAST = 3


def order(contenders, number):
    """Round 1 begins with the first contender, round 2 with the second, and so on.

    The first contender of a round finds the machine and the API server in another state than the next ones.
    """
    first = (number - 1) % len(contenders)
    return [*contenders[first:], *contenders[:first]]


def add_options(parser):
    parser.add_argument("--rounds", type=int, default=LEAST, help=f"at least {LEAST}")
    parser.add_argument("--quick", action="store_true", help="one small round, to see that it works; it measures nothing")


def check_options(parser, arguments):
    if arguments.quick:
        arguments.rounds = 1
    elif arguments.rounds < LEAST:
        parser.error(f"a comparison needs at least {LEAST} rounds, not {arguments.rounds}; --quick makes one small round")


def median_and_range(values, digits=0):
    """"849 (706 to 850)"; the median alone if all rounds agree."""
    values = list(values)
    median, least, most = (f"{value:.{digits}f}" for value in (statistics.median(values), min(values), max(values)))
    return median if least == most else f"{median} ({least} to {most})"


def times(ours, peers):
    """The ratio of our median to the peer's."""
    ours, peer = statistics.median(ours), statistics.median(peers)
    return f"{ours / peer:.2f}x" if peer else "-"


def table(headings, rows):
    """A table in Markdown."""
    return "\n".join(["| " + " | ".join(headings) + " |", "|" + "---|" * len(headings),
                      *("| " + " | ".join(cells) + " |" for cells in rows)])

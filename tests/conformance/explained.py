"""Where our decisions are known to differ from kube-scheduler's, and why. docs/conformance.md has the same list in prose.

Each has a predicate of a difference (compare.Difference), the dump and both results. An empty list is the goal.
"""

from dataclasses import dataclass
from typing import Callable


@dataclass
class Explained:
    name: str
    why: str
    applies: Callable  # (difference, dump, peer, ours) -> bool


EXPLAINED: list[Explained] = []


def explanation(difference, dump, peer, ours):
    """The name of what explains the difference, or None."""
    for entry in EXPLAINED:
        if entry.applies(difference, dump, peer, ours):
            return entry.name
    return None

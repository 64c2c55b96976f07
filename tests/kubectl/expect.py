"""What a value is expected to be: a value, absent, or text that matches a pattern."""

import re
from dataclasses import dataclass


class _Absent:
    def __repr__(self):
        return "nothing"


ABSENT = _Absent()


@dataclass(frozen=True)
class Shape:
    pattern: str


def met(expected, value):
    if isinstance(expected, Shape):
        return isinstance(value, str) and re.fullmatch(expected.pattern, value) is not None
    return same(expected, value)


def same(one, other):
    """Compares as JSON: true is not 1."""
    return one == other and type(one) is type(other)

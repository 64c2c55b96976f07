"""What a value is expected to be: a value, nothing at all, or text of a certain shape."""

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
    """As JSON has it: true is not 1."""
    return one == other and type(one) is type(other)

"""Compares the values of two clusters, step by step and path by path."""

import json
import re

import explained
from expect import ABSENT, met, same

COMMAND = "command"


def write(steps):
    """{step: {path: value}} as text, a line for each value."""
    result = []
    for name, values in steps.items():
        result.append(f"== {name}: kubectl {values[COMMAND]}")
        result += [f"{path} = {json.dumps(value, ensure_ascii=False)}" for path, value in values.items() if path != COMMAND]
    return "\n".join(result) + "\n"


def read(text):
    result = {}
    for line in text.splitlines():
        if line.startswith("== "):
            name, command = line[3:].split(": kubectl ", 1)
            values = result[name] = {COMMAND: command}
        else:
            path, value = line.split(" = ", 1)
            values[path] = json.loads(value)
    return result


def differences(recorded, got):
    """(step, path, recorded value, value of this run) for every difference."""
    for step in [*recorded, *(step for step in got if step not in recorded)]:
        before, after = recorded.get(step, {}), got.get(step, {})
        for path in [*before, *(path for path in after if path not in before)]:
            values = before.get(path, ABSENT), after.get(path, ABSENT)
            if not same(*values):
                yield step, path, *values


class Explanations:
    """The explanations for one kubectl, and which of them were used."""

    def __init__(self, entries, kubectl):
        self._entries = [(entry, step, path, expected) for entry in entries if entry.kubectl in ("", kubectl)
                         for step in entry.steps for path, expected in entry.embedded.items()]
        self._used = set()

    def why(self, step, path, value):
        for place, (entry, name, pattern, expected) in enumerate(self._entries):
            if name == step and _glob(pattern, path) and met(expected, value):
                self._used.add(place)
                return entry.why
        return None

    def unused(self):
        return [f"{step}: {path}: {entry.why}" for place, (entry, step, path, _) in enumerate(self._entries)
                if place not in self._used]


def _glob(pattern, path):
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), path) is not None


def report(recorded, got, kubectl=None):
    """Prints the differences and returns the failures: differences without an explanation, and unused explanations.
    Explanations apply to the embedded cluster only. Omit `kubectl` to compare two runs on the real control plane."""
    explanations = Explanations(explained.DIFFERENCES if kubectl else [], kubectl)
    failures, counted = [], {}
    for step, path, before, after in differences(recorded, got):
        reason = explanations.why(step, path, after)
        if reason:
            counted[reason] = counted.get(reason, 0) + 1
        else:
            failures.append(f"{step}: {path}: recorded {_shown(before)}, got {_shown(after)}")
    failures += ["explains nothing: " + entry for entry in explanations.unused()]
    for reason, count in counted.items():
        print(f"explained ({count} values): {reason}")
    print(f"{_size(recorded, got)} values of {len(got)} commands compared, {sum(counted.values())} explained")
    for failure in failures:
        print(failure)
    return failures


def _size(recorded, got):
    """The number of values on either side; the command itself does not count."""
    return sum(len((recorded.get(step, {}).keys() | got.get(step, {}).keys()) - {COMMAND}) for step in recorded.keys() | got.keys())


def _shown(value):
    return "nothing" if value is ABSENT else json.dumps(value, ensure_ascii=False)

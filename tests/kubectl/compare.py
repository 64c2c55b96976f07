"""Holds two transcripts against each other, step by step."""

import difflib
import re

import explained


def sections(lines):
    found, name = {}, None
    for line in lines:
        if line.startswith("== "):
            name = line[3:].split(":", 1)[0]
            found[name] = [line]
        elif name:
            found[name].append(line)
    return found


def differences(recorded, got):
    """(step, sign, line) of each line that only one side has: '-' the recording, '+' this run."""
    before, after = sections(recorded), sections(got)
    for name in [*before, *(name for name in after if name not in before)]:
        for line in difflib.ndiff(before.get(name, []), after.get(name, [])):
            if line[0] in "-+" and line[2:].strip():
                yield name, line[0], line[2:]


def why(step, sign, line, kubectl):
    """The reason given for a difference, or nothing."""
    for entry in explained.DIFFERENCES:
        if not re.fullmatch(entry.steps, step) or entry.kubectl not in ("", kubectl):
            continue
        patterns = entry.real if sign == "-" else entry.embedded
        if any(re.search(pattern, line) for pattern in patterns):
            return entry.why
    return None


def report(recorded, got, kubectl=None):
    """Prints what differs; returns the differences nobody has explained. Without a kubectl ("old" or another) there is
    no explanation: both are the real control plane's."""
    unexplained, counted = [], {}
    for step, sign, line in differences(recorded, got):
        reason = why(step, sign, line, kubectl) if kubectl else None
        if reason:
            counted[reason] = counted.get(reason, 0) + 1
        else:
            unexplained.append(f"{step}: {sign} {line}")
    for reason, count in counted.items():
        print(f"explained ({count} lines): {reason}")
    for difference in unexplained:
        print(difference)
    return unexplained

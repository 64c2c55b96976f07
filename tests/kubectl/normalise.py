"""What differs from run to run - times, addresses, generated names - replaced by words."""

import re

SUFFIX = "[bcdfghjklmnpqrstvwxz2456789]"  # the letters Kubernetes makes names of

_ALWAYS = [
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UID"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "TIME"),
    (re.compile(r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}"), "TIME"),
    (re.compile(r'(resourceVersion: )"\d+"'), r'\1"VERSION"'),
    (re.compile(r"(https?://)?127\.0\.0\.1:\d+"), "SERVER"),
    (re.compile(r"\b\d{1,3}(\.\d{1,3}){3}\b"), "IP"),
    (re.compile(r"\b([a-z][a-z-]*?)-" + SUFFIX + r"{6,10}-" + SUFFIX + r"{5}\b"), r"\1-HASH-SUFFIX"),
    (re.compile(r"(pod-template-hash[:=] ?|controller-revision-hash[:=] ?)\"?[\w-]+\"?"), r"\1HASH"),
    (re.compile(r"\b(kube-api-access)-" + SUFFIX + r"{5}\b"), r"\1-SUFFIX"),
    (re.compile(r"\.[0-9a-f]{15,16}\b"), ".EVENT"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "DIGEST"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "ID"),
    (re.compile(r"/tmp/[A-Za-z]+-\d+/"), "DIR/"),
]
# A duration in a table or a description: 5s, 2m30s, 3h12m. Not a quantity of CPU (100m).
_AGE = re.compile(r"(?<![\w.:/=\x22-])(?<!cpu:  )(?<!cpu: )(?:\d+[smhdy]){1,2}(?![\w%-])(?! \(\d)")
_COUNT = re.compile(r"\(x\d+ over (AGE|\S+)\)")


class Normaliser:
    """Knows the nodes' names, and those of the objects whose names are made up."""

    def __init__(self, nodes, owners):
        self._nodes = [(re.compile(r"\b" + re.escape(name) + r"\b"), f"node{i + 1}") for i, name in enumerate(nodes)]
        names = "|".join(map(re.escape, owners))
        self._owned = [
            (re.compile(rf"\b({names})-{SUFFIX}{{5}}\b(?!-)"), r"\1-SUFFIX"),
            (re.compile(rf"\b({names})-{SUFFIX}{{6,10}}\b"), r"\1-HASH"),
        ]

    def text(self, text, yaml=False, owners=False):
        """owners: keep metadata.managedFields, which the old kubectl always shows."""
        for pattern, word in _ALWAYS + self._nodes + self._owned:
            text = pattern.sub(word, text)
        lines = []
        for line in text.splitlines():
            if not yaml:
                # Columns are as wide as what was in them before it was replaced.
                # So are the keys of descriptions, which further values are aligned with.
                indent = min(len(line) - len(line.lstrip(" ")), 8)
                line = " " * indent + re.sub(r"\s{2,}|\t", "  ", line.lstrip(" "))
                line = _COUNT.sub("(xN over AGE)", _AGE.sub("AGE", line))
            lines.append(line.rstrip())
        return _owners(lines, owners) if yaml else lines


def _owners(lines, keep):
    """managedFields are sorted by time; what happens within one second may come either way."""
    result, place = [], 0
    while place < len(lines):
        begins = lines[place].endswith("managedFields:")
        if keep or not begins:
            result.append(lines[place])
        place += 1
        if not begins:
            continue
        indent = lines[place - 1][: -len("managedFields:")]
        entries = []
        while place < len(lines) and (lines[place].startswith(indent + "- ") or lines[place].startswith(indent + "  ")):
            if lines[place].startswith(indent + "- "):
                entries.append([])
            entries[-1].append(lines[place])
            place += 1
        for entry in sorted(entries if keep else [], key=lambda entry: entry[-4:] + entry):
            result += entry
    return result

"""Reads the output of kubectl into nested values: objects, tables, descriptions and lines.

`flat` then gives every value a path: status.conditions[Ready].status, node1.STATUS, Conditions.Ready.Status, out.1.
"""

import json
import re

# Lists that Kubernetes merges by key: their order has no meaning. All others are compared in order.
KEYED = {"conditions": ("type",), "managedFields": ("manager", "operation", "subresource")}
# Lists whose order follows generated names: they are sorted by content.
SORTED = ("items",)


def read(form, stdout, stderr, code):
    """One nested value for the whole result of a command."""
    if form == "json" and code == 0:
        value = json.loads(stdout)
    elif form == "table" and stdout.strip():
        value = tables(stdout)
    elif form == "describe" and code == 0:
        value = description(stdout)
    else:
        value = {"out": lines(stdout)} if stdout.strip() else {}
    return value | ({"err": lines(stderr)} if stderr.strip() else {}) | {"code": code}


def lines(text):
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def table(text):
    """The cells of each row by column. A column begins where its title does; two blanks end a title."""
    head, *rest = text.splitlines()
    titles = [(found.start(), found.group()) for found in re.finditer(r"\S+(?: \S+)*", head)]
    ends = [start for start, _ in titles[1:]] + [None]
    rows = [{title: row[start:end].strip() for (start, title), end in zip(titles, ends)} for row in rest if row.strip()]
    return [title for _, title in titles], rows


def tables(text):
    parts = [table(part) for part in re.split(r"\n\s*\n", text.strip("\n"))]
    return {"columns": [" | ".join(titles) for titles, _ in parts], "rows": [row for _, rows in parts for row in rows]}


def description(text):
    """`kubectl describe`: keys, nested by indentation; a table if a row of titles is under a key."""
    root = {}
    parents = [(-1, root)]  # indentation, value
    values, at = None, 0  # of the last key with a value: further values are in the same column
    rest = [line for line in text.splitlines() if line.strip()]
    while rest:
        line = rest.pop(0)
        indent = len(line) - len(line.lstrip())
        if values is not None and indent == at:
            values.append(line.strip())
            continue
        while indent <= parents[-1][0]:
            parents.pop()
        place = parents[-1][1]
        ruled = bool(rest) and re.fullmatch(r"\s*-+(\s+-+)*\s*", rest[0])
        if ruled or re.fullmatch(r"\s*Type\s+Status\s*", line):
            if ruled:
                rest.pop(0)
            body = [line]
            while rest and len(rest[0]) - len(rest[0].lstrip()) == indent:
                body.append(rest.pop(0))
            _, place["rows"] = table("\n".join(row[indent:] for row in body))
            values = None
            continue
        found = re.match(r"(\s*)(\S[^:]*(?::[^:\s]+)*):(?:\s+|$)", line)
        if not found:
            place.setdefault("lines", []).append(line.strip())
            values = None
            continue
        value = line[found.end():].rstrip()
        place[found.group(2)] = inside = {"": [value]} if value else {}
        values, at = (inside[""], found.end()) if value else (None, 0)
        parents.append((indent, inside))
    return _plain(root)


def _plain(value):
    """A key with only a value becomes that value; a key with neither value nor children becomes an empty text."""
    if isinstance(value, list):
        return value[0] if len(value) == 1 and isinstance(value[0], str) else value
    if isinstance(value, dict):
        if list(value) in ([], [""]):
            return _plain(value.get("", ""))
        return {key: _plain(inner) if key not in ("rows", "lines") else inner for key, inner in value.items()}
    return value


def flat(value, normaliser, row_keys=("NAME",), path=""):
    """{path: value} of all leaves. Values and names are normalised before unordered lists are sorted."""
    if isinstance(value, dict) and value:
        result = {}
        for key, inner in value.items():
            if key == "rows" and isinstance(inner, list):
                result |= _rows(inner, normaliser, row_keys, path)
            else:
                key = normaliser.names(key)
                result |= flat(inner, normaliser, row_keys, f"{path}.{key}" if path and key else path or key)
        return result
    if isinstance(value, list) and value:
        name = path.rsplit(".", 1)[-1]
        if name in KEYED and all(isinstance(entry, dict) for entry in value):
            named = ((" ".join(str(entry[key]) for key in KEYED[name] if key in entry), entry) for entry in value)
            return _named(sorted(named, key=lambda one: one[0]), normaliser, row_keys, path + "[{}]")
        if name not in SORTED:
            return {key: inner for place, entry in enumerate(value, 1)
                    for key, inner in flat(entry, normaliser, row_keys, f"{path}.{place}").items()}
        entries = sorted((flat(entry, normaliser, row_keys, path + ".") for entry in value), key=_contents)
        return {f"{path}.{place}{key[len(path) + 1:]}": inner
                for place, entry in enumerate(entries, 1) for key, inner in entry.items()}
    return {path: normaliser.value(path, value)}


def _contents(entry):
    return json.dumps(entry, sort_keys=True)


def _named(entries, normaliser, row_keys, form):
    """Entries by name; entries with the same name get a number, in the order of their contents."""
    groups = {}
    for name, entry in entries:
        place = form.replace("{}", name)
        groups.setdefault(place, []).append(flat(entry, normaliser, row_keys, place))
    result = {}
    for place, group in groups.items():
        for number, entry in enumerate(sorted(group, key=_contents), 1):
            told_apart = f"{place}#{number}" if number > 1 else place
            result |= {told_apart + key[len(place):]: inner for key, inner in entry.items()}
    return result


def _rows(rows, normaliser, row_keys, path):
    """Rows by the cells that name them, or by the first cell if a table has none of these."""
    named = []
    for row in rows:
        keys = [key for key in row_keys if key in row] or list(row)[:1]
        others = {title: cell for title, cell in row.items() if title not in keys}
        named.append((normaliser.names(" ".join(row[key] for key in keys)), others))
    prefix = path + "." if path else ""
    order = ", ".join(dict.fromkeys(name for name, _ in named))
    return {prefix + "order": order} | _named(named, normaliser, row_keys, prefix + "{}")

#!/usr/bin/env python3
"""Keeps every co_await in a shape that g++ 12 compiles correctly.

g++ 12.2 destroys aggregate temporaries and lambda captures of an awaited expression twice, lays frames out wrongly if an
await is in a condition, and picks the wrong side of a conditional that contains one. These shapes are safe:

    co_await f(x);    auto v = co_await f(x);    auto [a, b] = co_await f(x);    v = co_await f(x);
    co_return co_await f(x);

each alone in its statement, without braces and lambdas. An `if (...)` or `else` may precede it.
A default argument of an awaited function must not be a braced aggregate (`Options options = {}`): it is an invisible
temporary of the caller's awaited expression, and g++ destroyed it twice. A returned value must have a name or come from a
function: `co_return Found{text};` makes the same kind of temporary, though no failure was observed.
"""

import argparse
import re
import sys
from pathlib import Path

from cpp_text import blank, files_under, line_of, report

_TARGET = re.compile(
    r'(?:\[\[[\w:,\s]*\]\]\s*)?'
    r'(?:\(void\)\s*)?'
    r'(?:(?:co_return'
    r'|(?:const\s+)?auto\s*(?:&&|[&*])?\s*(?:\w+|\[[\w\s,]*\])\s*='
    r'|(?:const\s+)?[\w:<>,\s*&]+?[\s&*>]\w+\s*='
    r'|[\w.]+(?:->[\w.]+)*\s*=)\s*)?$'
)


def _closing(text, opening):
    """The position of the bracket that closes the one at `opening`, or -1."""
    depth = 0
    for index in range(opening, len(text)):
        depth += text[index] in '([{'
        depth -= text[index] in ')]}'
        if depth == 0:
            return index
    return -1


def _without_control(head):
    """The start of the statement without what may precede it: labels, else, a closed if (...)."""
    while True:
        match = re.match(r'\s*(?:else\b|case\b[^:]*(?:::[^:]*)*:(?!:)|default\s*:|(?:if(?:\s+constexpr)?|while)\s*(?=\())', head)
        if not match:
            return head
        rest = head[match.end():]
        if rest.startswith('('):
            end = _closing(rest, 0)
            if end < 0:
                return head  # the await is inside the condition
            rest = rest[end + 1:]
        head = rest


def _outside_brackets(expression):
    """The expression without the contents of its brackets."""
    out, depth = [], 0
    for c in expression:
        depth -= c in ')]'
        if depth == 0:
            out.append(c)
        depth += c in '(['
    return ''.join(out)


def _fault(head, tail):
    inside_braces = '}' in tail and '{' not in tail
    if inside_braces or not _TARGET.match(_without_control(head).lstrip()):
        return 'the await must be the whole statement or the whole initializer'
    if '{' in tail:
        return 'a braced temporary in the awaited expression: name it first'
    if re.search(r'[(,=]\s*\[', tail):
        return 'a lambda in the awaited expression: name it first'
    if 'co_await' in tail:
        return 'two awaits in one statement: give each its own'
    outside = _outside_brackets(tail)
    if re.search(r'&&|\|\|', tail):
        return 'operators on awaitables: name both sides first'
    if re.search(r'[?+/%=|^]|-(?!>)|(?<=[\w)])\s*\*', outside):
        return 'the awaited result is used in a larger expression: name it first'
    if '?' in tail:
        return 'a conditional in the awaited expression: name it first'
    return None


def _has_braced_temporary(expression):
    """Whether braces contain more than nothing or a number."""
    before = None
    while before != expression:
        before = expression
        expression = re.sub(r'\{\s*\d*\s*\}', '', expression)
        expression = re.sub(r'\{\s*(?:\w+::)*[A-Z]\w*\s*\}', '', expression)
    return '{' in expression


def _returns(text, name):
    findings = []
    for match in re.finditer(r'\bco_return\b', text):
        end = text.find(';', match.end())
        if _has_braced_temporary(text[match.end():end if end >= 0 else len(text)]):
            findings.append(f'{name}:{line_of(text, match.start())}: a braced temporary is returned: name it first')
    return findings


def _defaults(text, name):
    findings = []
    for match in re.finditer(r'\bTask<[^;{]*?\(([^;]*?)\)\s*(?:const\s*)?(?:override\s*)?[;{]', text):
        for default in re.finditer(r'([\w:<>]+)&?\s+\w+\s*=\s*(?:\{|[\w:]+\{)', match.group(1)):
            if not default.group(1).startswith('std::'):
                findings.append(f'{name}:{line_of(text, match.start(1) + default.start())}: '
                                'a braced default argument of an awaited function: name it first')
    return findings


def check_text(text, name):
    text = blank(text)
    findings = _returns(text, name) + _defaults(text, name)
    for match in re.finditer(r'\bco_await\b', text):
        start = max(text.rfind(c, 0, match.start()) for c in ';{}') + 1
        end = text.find(';', match.end())
        fault = _fault(text[start:match.start()], text[match.end():end if end >= 0 else len(text)])
        if fault:
            findings.append(f'{name}:{line_of(text, match.start())}: {fault}')
    return findings


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('paths', nargs='*', default=['src'], help='files or folders (default: src)')
    paths = parser.parse_args(arguments).paths
    findings = []
    for path in files_under(paths, {'.h', '.cc'}):
        findings += check_text(Path(path).read_text(encoding='utf-8'), path)
    return report(findings)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

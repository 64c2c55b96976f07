#!/usr/bin/env python3
"""Keeps files small: at most 500 lines, tests 600.

A file with a good reason to be longer is in the allow-list, one per line: <path> <limit> <reason>.
An entry that is no longer needed, or has no reason, is a finding too.
"""

import argparse
import sys
from pathlib import Path

from cpp_text import files_under, report

LIMIT = 500
TEST_LIMIT = 600
SUFFIXES = {'.h', '.cc', '.py'}


def limit_of(path):
    return TEST_LIMIT if path.stem.endswith('_test') else LIMIT


def lines_in(path):
    with open(path, 'rb') as file:
        return sum(1 for _ in file)


def read_allowed(path, findings):
    """{file: (limit, line number)} of the allow-list."""
    allowed = {}
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
        words = line.split(None, 2)
        if not words or words[0].startswith('#'):
            continue
        if len(words) < 3 or not words[1].isdigit():
            findings.append(f'{path}:{number}: write <path> <limit> <reason>')
            continue
        allowed[words[0]] = (int(words[1]), number)
    return allowed


def check(root, folders, allow_list):
    findings = []
    allowed = read_allowed(allow_list, findings) if allow_list.is_file() else {}
    needed = set()
    for path in files_under([root / folder for folder in folders if (root / folder).is_dir()], SUFFIXES):
        name = path.relative_to(root).as_posix()
        lines, limit = lines_in(path), limit_of(path)
        if lines <= limit:
            continue
        if name in allowed:
            needed.add(name)
            limit = allowed[name][0]
        if lines > limit:
            findings.append(f'{path}:{limit + 1}: {lines} lines, at most {limit} are allowed: split it by ideas')
    for name, (_, number) in allowed.items():
        if name not in needed:
            findings.append(f'{allow_list}:{number}: {name} needs no exception: remove the line')
    return findings


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('root', nargs='?', default='.', help='the top of the source tree (default: .)')
    parser.add_argument('--allow', help='the allow-list (default: tools/lint/size_allow.txt below the root)')
    options = parser.parse_args(arguments)
    root = Path(options.root)
    allow = Path(options.allow) if options.allow else root / 'tools/lint/size_allow.txt'
    return report(check(root, ('src', 'tests', 'bench', 'fuzz', 'tools'), allow))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

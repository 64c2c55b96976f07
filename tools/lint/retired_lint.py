#!/usr/bin/env python3
"""Reports retired names and phrases. The list is tools/lint/retired.txt, one entry a line:

  identifier <name> -> <what to write> [in <glob> ...]
  phrase <words> -> <what to write> [in <glob> ...]

An identifier is searched in C++ code only, so that the word stays free for comments, strings and docs. A phrase is searched
in all text that people read: docs, comments, messages; case-insensitive, and across line ends. Globs are paths below the
root, * matches folders too; without globs an entry applies everywhere.
"""

import argparse
import fnmatch
import re
import sys
from pathlib import Path

from cpp_text import blank, files_under, line_of, report

LIST = 'tools/lint/retired.txt'
FOLDERS = ('src', 'tests', 'bench', 'fuzz', 'docs', 'web/src', 'scripts', 'tools', 'charts', 'README.md', 'CONTRIBUTING.md')
CODE = {'.h', '.cc'}
PROSE = CODE | {'.md', '.py', '.ts', '.tsx', '.cmake', '.txt', '.yaml'}
OWN = {LIST, 'tools/lint/lint_test.py'}  # they contain retired names
_ENTRY = re.compile(r'(identifier|phrase)\s+(\S.*?)\s+->\s+(\S.*?)(?:\s+in\s+(\S.*))?')
_NAME = re.compile(r'[A-Za-z_]\w*')


class Entry:
    def __init__(self, what, instead, globs):
        self.what = what
        self.instead = instead
        self.globs = globs

    def holds_in(self, name):
        return not self.globs or any(fnmatch.fnmatch(name, glob) for glob in self.globs)

    def finding(self, path, line):
        return f"{path}:{line}: '{self.what}' is retired: write {self.instead}"


def read_list(path, findings):
    """({identifier: [entries]}, {phrase: [entries]}) of the list; errors in the list are added to the findings."""
    kinds = {'identifier': {}, 'phrase': {}}
    for number, line in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
        if not line.strip() or line.startswith('#'):
            continue
        match = _ENTRY.fullmatch(line.strip())
        if not match or (match[1] == 'identifier' and not _NAME.fullmatch(match[2])):
            findings.append(f'{path}:{number}: write <identifier or phrase> <what> -> <what to write> [in <glob> ...]')
            continue
        key = match[2] if match[1] == 'identifier' else ' '.join(match[2].lower().split())
        globs = (match[4] or '').split()
        same = kinds[match[1]].setdefault(key, [])
        if any(set(entry.globs) == set(globs) for entry in same):
            findings.append(f"{path}:{number}: '{key}' is already in the list")
        same.append(Entry(key, match[3], globs))
    return kinds['identifier'], kinds['phrase']


def phrase_pattern(phrases):
    """One pattern for all phrases: a blank matches blanks, line ends and the comment marks at the start of a line."""
    gap = r'(?:\s|(?<=\n)[ \t]*(?://|#|\*))+'
    spelt = [gap.join(map(re.escape, phrase.split())) for phrase in sorted(phrases, key=len, reverse=True)]
    return re.compile(r'(?<!\w)(?:' + '|'.join(spelt) + r')(?!\w)', re.I)


def plain(text):
    """A match in the spelling of the list."""
    return ' '.join(re.sub(r'\n[ \t]*(?://|#|\*)', '\n', text).lower().split())


def check(root, list_path):
    findings = []
    identifiers, phrases = read_list(list_path, findings)
    pattern = phrase_pattern(phrases) if phrases else None
    for path in files_under([root / folder for folder in FOLDERS if (root / folder).exists()], PROSE):
        name = path.relative_to(root).as_posix()
        if name in OWN:
            continue
        text = path.read_text(encoding='utf-8')
        if path.suffix in CODE:
            code = blank(text)
            for match in _NAME.finditer(code):
                for entry in identifiers.get(match[0], ()):
                    if entry.holds_in(name):
                        findings.append(entry.finding(path, line_of(code, match.start())))
        for match in pattern.finditer(text) if pattern else ():
            for entry in phrases[plain(match[0])]:
                if entry.holds_in(name):
                    findings.append(entry.finding(path, line_of(text, match.start())))
    return findings


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('root', nargs='?', default='.', help='the top of the source tree (default: .)')
    parser.add_argument('--list', help=f'the list (default: {LIST} below the root)')
    options = parser.parse_args(arguments)
    root = Path(options.root)
    return report(check(root, Path(options.list) if options.list else root / LIST))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

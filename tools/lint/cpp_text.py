"""Shared by the lints: which files to read, and C++ text with comments and literals blanked out."""

import re
import sys
from pathlib import Path

_LITERALS = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|R"(?P<tag>[^\s()\\]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'",  # not the digit separators of 1'000
    re.S,
)


def blank(text):
    """The text with comments and literals replaced by spaces: offsets and line numbers stay the same."""
    return _LITERALS.sub(lambda match: re.sub(r'[^\n]', ' ', match.group()), text)


def line_of(text, offset):
    return text.count('\n', 0, offset) + 1


def files_under(paths, suffixes):
    """The named files, and the files with one of the suffixes below the named folders; sorted, without build trees."""
    found = []
    for path in map(Path, paths):
        if path.is_dir():
            found += [
                file
                for file in path.rglob('*')
                if file.suffix in suffixes and file.is_file() and 'build' not in file.relative_to(path).parts[:-1]
            ]
        elif path.is_file():
            found.append(path)
        else:
            sys.exit(f'{path}: there is no such file or folder')
    return sorted(set(found))


def report(findings):
    """Prints the findings; returns the exit status of a lint."""
    for finding in findings:
        print(finding)
    return 1 if findings else 0

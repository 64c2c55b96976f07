#!/usr/bin/env python3
"""Checks the #include lines of src/ against the layers that the CMake files declare.

  - a file of src/<folder> includes only its own folder and those that its rescheduler_library() reaches through DEPS;
    its *_test.cc files may also use the rescheduler_ libraries in TEST_EXTERNAL
  - our headers are included with their folder: "kube/value/quantity.h"
  - the pure folders (cluster, placement, planner) include no network, thread, lock or logging header
  - only src/cli, src/sim and tests include src/sim
"""

import argparse
import re
import sys
from pathlib import Path

from cpp_text import line_of, report

PURE = ('cluster', 'placement', 'planner')
IMPURE = re.compile(
    r'(?:boost/(?:asio|beast)|asio|openssl|spdlog|net)/'
    r'|(?:thread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|stop_token|random_device)$'
    r'|(?:boost/asio|boost/beast)\.hpp$'
    r'|base/log\.h$'
)
SIM_USERS = ('cli', 'sim')
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.M)
_KEYWORDS = ('LAYER', 'SOURCES', 'DEPS', 'EXTERNAL', 'PRIVATE_EXTERNAL', 'PCH', 'TESTS', 'TEST_EXTERNAL')


class Folder:
    def __init__(self, name):
        self.name = name
        self.deps = set()       # direct, then transitive
        self.test_deps = set()


def _arguments(call):
    """The arguments of a rescheduler_library() call by keyword."""
    words, keyword = {}, None
    for word in call.split():
        if word in _KEYWORDS:
            keyword = word
            words.setdefault(word, [])
        elif keyword:
            words[keyword].append(word)
    return words


def read_folder(cmake, name):
    text = re.sub(r'#[^\n]*', '', cmake.read_text(encoding='utf-8'))
    folder = Folder(name)
    library = re.search(r'\brescheduler_library\s*\(\s*' + re.escape(name) + r'\b([^)]*)\)', text)
    if library:
        words = _arguments(library.group(1))
        folder.deps = set(words.get('DEPS', []))
        outside = words.get('TEST_EXTERNAL', [])
    else:  # the folder of an executable: it may include what it links
        outside = []
        folder.deps = set(re.findall(r'\brescheduler_(\w+)', text)) - {'library', 'test', 'options', name}
    folder.test_deps = {word.removeprefix('rescheduler_') for word in outside if word.startswith('rescheduler_')}
    return folder


def read_folders(src):
    folders = {}
    for cmake in sorted(src.glob('*/CMakeLists.txt')):
        folders[cmake.parent.name] = read_folder(cmake, cmake.parent.name)

    def reach(name, seen):
        for dep in folders[name].deps if name in folders else ():
            if dep not in seen:
                seen.add(dep)
                reach(dep, seen)
        return seen

    closed = {name: reach(name, set()) for name in folders}
    for name, folder in folders.items():
        folder.deps = closed[name]
        for dep in list(folder.test_deps):
            folder.test_deps |= closed.get(dep, set())
    return folders


def _fault(folder, included, quoted, is_test, folders):
    if folder.name in PURE and not is_test and IMPURE.match(included):
        return f'src/{folder.name} is pure: it may not include {included}'
    if not quoted:
        return None
    if '/' not in included:
        return f'include "{included}" with its folder in front'
    target = included.split('/')[0]
    if target == 'support' and is_test:
        return None  # tests/support
    if target == 'sim' and not is_test and folder.name not in SIM_USERS:
        return f'only src/cli and tests may include src/sim, not src/{folder.name}'
    if target == folder.name or target in folder.deps or (is_test and target in folder.test_deps):
        return None
    if target in folders:
        return f'src/{folder.name} may not include src/{target}: it is not among its DEPS, direct or through others'
    if included.endswith('.pb.h'):
        return None  # generated
    return f'there is no folder src/{target}'


def check(src):
    folders = read_folders(src)
    findings = []
    for name, folder in folders.items():
        for path in sorted((src / name).rglob('*')):
            if path.suffix not in ('.h', '.cc') or not path.is_file():
                continue
            text = path.read_text(encoding='utf-8')
            for match in _INCLUDE.finditer(text):
                included = match.group(1) or match.group(2)
                fault = _fault(folder, included, match.group(1) is not None, path.name.endswith('_test.cc'), folders)
                if fault:
                    findings.append(f'{path}:{line_of(text, match.start())}: {fault}')
    return findings


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('src', nargs='?', default='src', help='the folder of the folders (default: src)')
    src = Path(parser.parse_args(arguments).src)
    if not src.is_dir():
        sys.exit(f'{src}: there is no such folder')
    return report(check(src))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Writes a source file that contains every file of a folder, plain and gzipped: embed_assets.py FOLDER OUTPUT.cc

A file whose name has a hash of its content ("app-1a2b3c4d.js") can be cached for ever. Browsers revalidate the others.
"""

import gzip
import hashlib
import re
import sys
from pathlib import Path

TYPES = {
    '.html': 'text/html; charset=utf-8',
    '.js': 'text/javascript; charset=utf-8',
    '.css': 'text/css; charset=utf-8',
    '.svg': 'image/svg+xml',
    '.png': 'image/png',
    '.ico': 'image/x-icon',
    '.json': 'application/json',
    '.webmanifest': 'application/manifest+json',
    '.woff2': 'font/woff2',
    '.txt': 'text/plain; charset=utf-8',
}
HASHED = re.compile(r'[-.][0-9A-Za-z_]{8,}\.[a-z0-9]+$')
LINE = 4096  # bytes of content per source line: some compilers reject longer lines


def literal(data):
    """Octal escapes never run into the next character, unlike hexadecimal ones."""
    lines = []
    for start in range(0, len(data), LINE):
        part = data[start:start + LINE]
        lines.append('"' + ''.join(chr(b) if 32 <= b < 127 and b not in b'"\\?' else f'\\{b:03o}' for b in part) + '"')
    return '\n    '.join(lines) or '""'


def main(folder, output):
    files = sorted(path for path in Path(folder).rglob('*') if path.is_file() and path.suffix in TYPES)
    if not any(path.name == 'index.html' for path in files):
        sys.exit(f'{folder}: there is no index.html')
    constants, entries = [], []
    for number, path in enumerate(files):
        plain = path.read_bytes()
        packed = gzip.compress(plain, 9, mtime=0)
        packed = packed if len(packed) < len(plain) else b''
        tag = hashlib.sha256(plain).hexdigest()[:24]
        for name, data in ((f'kPlain{number}', plain), (f'kGzip{number}', packed)):
            constants.append(f'constexpr char {name}[] =\n    {literal(data)};\n')
        entries.append(
            f'    {{"{path.relative_to(folder).as_posix()}", "{TYPES[path.suffix]}",\n'
            f'     std::string_view(kPlain{number}, {len(plain)}), std::string_view(kGzip{number}, {len(packed)}),\n'
            f'     "\\"{tag}\\"", {"true" if HASHED.search(path.name) else "false"}}},\n')
    text = ('// Made by the build: embed_assets.py.\n#include "dashboard/assets.h"\n\n'
            '#include <array>\n\n// Compilers need not take such long literals; those we use do.\n#pragma GCC diagnostic ignored "-Woverlength-strings"\n\n'
            'namespace rescheduler::dashboard {\nnamespace {\n\n'
            + '\n'.join(constants)
            + f'\nconstexpr std::array<Asset, {len(files)}> kAssets = {{{{\n' + ''.join(entries) + '}};\n\n'
            '}  // namespace\n\nstd::span<const Asset> assets() { return kAssets; }\n\n'
            '}  // namespace rescheduler::dashboard\n')
    out = Path(output)
    if not out.exists() or out.read_text(encoding='ascii') != text:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding='ascii')


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2])

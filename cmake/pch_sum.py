"""Writes the checksum by which ccache identifies a precompiled header (CCACHE_PCH_EXTSUM), from its content, not its path:

    pch_sum.py OUT HEADER COMPILER FLAG...     two checkouts of one commit have the same

A precompiled header contains the paths of its checkout, so its bytes differ in every checkout.
"""

import hashlib
import subprocess
import sys
from pathlib import Path


def main(out, header, *compiler):
    listed = subprocess.run([*compiler, '-x', 'c++-header', '-M', header], check=True, capture_output=True, text=True).stdout
    whole = hashlib.sha256()
    for path in listed.replace('\\\n', ' ').split()[1:]:
        whole.update(Path(path).read_bytes())
    Path(out).write_text(whole.hexdigest() + '\n')


if __name__ == '__main__':
    main(*sys.argv[1:])

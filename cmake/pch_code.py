"""Compiles the code of a precompiled header - inline functions and instantiated templates - into one object file:

    pch_code.py OUT PCH SUM COMPILER FLAG...

Files that use the header need not compile that code again (-fpch-codegen). It takes as long as the header itself, and ccache
does not accept a precompiled header as a source. So the object is kept beside ccache's own files, by the content of the header
and the compiler flags.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

KEPT = 8  # number of newest objects to keep


def kept_in():
    asked = subprocess.run(['ccache', '--get-config', 'cache_dir'], capture_output=True, text=True) if shutil.which('ccache') else None
    return Path(asked.stdout.strip()) / 'rescheduler-pch' if asked and asked.returncode == 0 else None


def main(out, pch, sum_file, *compiler):
    version = subprocess.run([compiler[0], '--version'], check=True, capture_output=True).stdout
    key = hashlib.sha256(b'\0'.join([Path(sum_file).read_bytes(), version, *map(str.encode, compiler)])).hexdigest()
    folder = kept_in()
    kept = folder / f'{key}.o' if folder else None
    if kept and kept.exists():
        shutil.copyfile(kept, out)
        os.utime(kept)
        return
    subprocess.run([*compiler, '-c', pch, '-o', out], check=True)
    if not kept:
        return
    folder.mkdir(parents=True, exist_ok=True)
    part = kept.with_suffix(f'.{os.getpid()}')
    shutil.copyfile(out, part)
    part.replace(kept)
    for old in sorted(folder.glob('*.o'), key=lambda path: path.stat().st_mtime, reverse=True)[KEPT:]:
        old.unlink(missing_ok=True)


if __name__ == '__main__':
    main(*sys.argv[1:])

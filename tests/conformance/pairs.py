#!/usr/bin/env python3
"""Recorded pairs: dumps, and what the real kube-scheduler decided about them. They need no control plane.

  pairs.py replay --ours rescheduler [FILE]     compares our decisions about all of them; `make test` does this
  pairs.py unpack DIR [FILE]                    writes them as `run --keep DIR` leaves them, to inspect with compare.py
  pairs.py pack DIR [FILE]                      records what `run --keep DIR` left

FILE defaults to pairs.jsonl.xz beside this program. Its first line describes the run (seed, version of kube-scheduler,
profiles); each further line is a pair. Exit codes: 0 as expected, 1 otherwise.
"""

import argparse
import json
import lzma
import pathlib
import re
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import compare  # noqa: E402

FILE = HERE / "pairs.jsonl.xz"
RUN = "run.json"  # the description of a run, from `run --keep`
UID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
# Set by the API server: no scheduler reads them, and they differ in every run.
CHANCE = ("resourceVersion", "creationTimestamp")


def lean(dump):
    """The dump without values that differ in every run: an xz file of 2,000 is then a fifth of the size."""
    for item in dump["items"]:
        for name in CHANCE:
            item["metadata"].pop(name, None)
    numbers = {}
    return json.loads(UID.sub(lambda uid: f"uid-{numbers.setdefault(uid.group(), len(numbers))}", json.dumps(dump)))


def pack(folder, file):
    lines = [compare.load(folder / RUN)]
    for name in compare.names_in(folder):
        lines.append({"name": name, "dump": lean(compare.load(folder / f"{name}.dump.json")),
                      "peer": compare.load(folder / f"{name}.peer.json")})
    lines[0]["pairs"] = len(lines) - 1
    text = "".join(json.dumps(line, separators=(",", ":"), sort_keys=True) + "\n" for line in lines)
    file.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    return lines[0]


def unpack(file, folder):
    """Returns the description of the run. A truncated file is an error."""
    with lzma.open(file, "rt") as lines:
        about = json.loads(next(lines))
        count = 0
        for count, line in enumerate(lines, 1):
            pair = json.loads(line)
            compare.put(folder, pair["name"], pair["dump"], pair["peer"])
    if count != about["pairs"]:
        raise ValueError(f"{file} has {count} pairs and says that it has {about['pairs']}")
    (folder / RUN).write_text(json.dumps(about))
    (folder / "profiles.yaml").write_text(about["profiles"])
    return about


def replay(file, rescheduler):
    with tempfile.TemporaryDirectory() as name:
        folder, begin = pathlib.Path(name), time.monotonic()
        about = unpack(file, folder)
        compare.decide(rescheduler, folder, folder / "profiles.yaml")
        tally = compare.Tally()
        for name in compare.names_in(folder):
            tally.take(folder, name)
        tally.print(folder)
        print(f"recorded from {about['kubernetes']}, seed {about['seed']}; replayed in {time.monotonic() - begin:.1f} s")
        if tally.unexplained:
            print(f"to look at them: pairs.py unpack DIR {file}")
    return tally


def main(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for command in ("replay", "unpack", "pack"):
        one = commands.add_parser(command)
        if command == "replay":
            one.add_argument("--ours", required=True, help="the rescheduler binary")
        else:
            one.add_argument("folder", type=pathlib.Path)
        one.add_argument("file", type=pathlib.Path, nargs="?", default=FILE)
    arguments = parser.parse_args(argv)
    if arguments.command == "replay":
        return 1 if replay(arguments.file, arguments.ours).failed() else 0
    if arguments.command == "unpack":
        arguments.folder.mkdir(parents=True, exist_ok=True)
        about = unpack(arguments.file, arguments.folder)
    else:
        about = pack(arguments.folder, arguments.file)
    print(f"{about['pairs']} pairs, {arguments.file.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

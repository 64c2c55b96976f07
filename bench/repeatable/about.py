"""What a number refers to: the commit, the day, the machine, the rounds."""

import os
import pathlib
import platform
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def commit(root=ROOT):
    """The commit of the sources; "-dirty" if they differ from it."""
    described = subprocess.run(["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude", "*"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=60)
    return described.stdout.strip() or "unknown"


def machine():
    with open("/proc/cpuinfo") as file:
        model = next((line.partition(":")[2].strip() for line in file if line.startswith("model name")), "unknown")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores ({platform.machine()}, {model}), {memory:.0f} GiB"


def how_many(rounds):
    return "One small round, which measures nothing." if rounds == 1 else f"Median (and range) of {rounds} rounds."


def line(rounds=None):
    text = f"Commit {commit()}, {time.strftime('%Y-%m-%d', time.gmtime())}, release build. {machine()}."
    return text if rounds is None else f"{text} {how_many(rounds)}"

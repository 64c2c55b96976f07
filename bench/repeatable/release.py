"""Only the build that users run is measured: the `release` preset."""

import pathlib

from .failed import Failed

# The settings of the preset, as in CMakePresets.json. A sanitizer slows everything down several times.
WANTED = {"CMAKE_BUILD_TYPE": "Release", "RESCHEDULER_LTO": "ON", "RESCHEDULER_SANITIZE": ""}


def read_cache(text):
    """The settings of a CMakeCache.txt: NAME:TYPE=VALUE."""
    settings = {}
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals and not name.startswith(("#", "//")):
            settings[name.partition(":")[0]] = value
    return settings


def build_folder(path):
    """The build folder of a binary, or None."""
    path = pathlib.Path(path).resolve()
    return next((folder for folder in (path, *path.parents) if (folder / "CMakeCache.txt").is_file()), None)


def require(binary):
    """Refuses a binary that does not exist or was not built with the release preset."""
    binary = pathlib.Path(binary)
    if not binary.is_file():
        raise Failed(f"{binary} does not exist; the make target of the benchmark builds it")
    folder = build_folder(binary)
    if folder is None:
        raise Failed(f"{binary} is in no CMake build folder, so its build type is unknown; "
                     "benchmarks measure the `release` preset only")
    settings = read_cache((folder / "CMakeCache.txt").read_text())
    for name, wanted in WANTED.items():
        found = settings.get(name, "")
        if found != wanted:
            raise Failed(f"{binary} is not a release build ({name} is {found!r} instead of {wanted!r}); "
                         "benchmarks measure the `release` preset only: cmake --preset release")

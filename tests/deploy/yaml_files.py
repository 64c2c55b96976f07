"""Reading YAML, if a reader is installed."""

import sys

try:
    import yaml
except ImportError:
    print('skipped: python3-yaml is not installed (scripts/install-deps)')
    sys.exit(77)


def documents(path):
    """The objects of a manifest."""
    with open(path) as file:
        return [each for each in yaml.safe_load_all(file) if each]


def parse(text):
    return [each for each in yaml.safe_load_all(text) if each]

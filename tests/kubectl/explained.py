"""Where the embedded cluster is known to differ from the real control plane, and why.

docs/embedded-cluster.md has the same list in prose. `real` are expressions for lines only the real control plane gives,
`embedded` for those only the embedded one gives.
"""

from dataclasses import dataclass


@dataclass
class Difference:
    why: str
    steps: str  # an expression for the names of the steps
    real: tuple = ()
    embedded: tuple = ()


DIFFERENCES = []

"""How a command fails: one sentence for the reader, one exit code for the caller."""

EXIT_FAILED = 1
EXIT_USAGE = 2
# The machine lacks something (Go, openssl, built binaries). Callers such as a test suite skip on it
# instead of failing.
EXIT_UNAVAILABLE = 3


class RigError(Exception):
    """Something the user can read and act on; `details` follows the sentence, one line each."""

    def __init__(self, sentence: str, *, exit_code: int = EXIT_FAILED, details: list[str] | None = None):
        super().__init__(sentence)
        self.sentence = sentence
        self.exit_code = exit_code
        self.details = details or []


class PortTaken(RigError):
    """A component could not bind its port, so the start is worth trying again with other ports."""

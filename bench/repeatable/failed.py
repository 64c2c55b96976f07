class Failed(Exception):
    """One sentence: what could not be measured, and why."""

"""The rules every benchmark keeps, so that anyone can repeat it: release builds, rounds in turn, the commit named."""

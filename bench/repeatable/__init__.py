"""The rules of every benchmark, so that anyone can repeat it: release builds, alternating rounds, the commit named."""

"""The parts of `rig`; cli.py is the way in."""

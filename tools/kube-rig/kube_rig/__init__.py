"""The parts of `rig`; cli.py is the entry point."""

"""Checks of the area ``tokens``."""

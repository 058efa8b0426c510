"""Checks of the area ``launch``."""

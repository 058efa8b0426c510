"""Checks of the area ``memory``."""

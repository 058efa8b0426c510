"""Checks of the area ``credentials``."""

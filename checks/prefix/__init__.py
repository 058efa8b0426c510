"""Checks of the area ``prefix``."""

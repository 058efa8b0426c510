"""Checks of the area ``endpoint``."""

"""Checks of the area ``response``."""

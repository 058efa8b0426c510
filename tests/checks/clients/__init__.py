"""Tests of the checks of the area ``clients``."""

"""Tests of the checks of the area ``credentials``."""

"""Reads shell start-up files without running them: which variable is set where, and to what.

One module per language, each with ``scan(text) -> Scan``.
"""

"""Fixes: changes made lasting."""

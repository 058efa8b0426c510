"""Formats for people and for build servers."""

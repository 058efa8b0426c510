"""Readers: from a text of any kind to the command lines in it, with the place of every word."""

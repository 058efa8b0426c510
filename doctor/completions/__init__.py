"""Completion scripts for shells and the manual page, written from the grammar of the command line.

A script holds all that it offers and starts no program when a key is pressed. What only a run could
know (targets of ``kvdoctor.toml``, fixes, plugins) is therefore not offered.
"""

"""kvdoctor: finds what is broken between a client and a completion, and proves the repair."""

__version__ = "0.1.0"

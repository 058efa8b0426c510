"""A made-up machine with servers on loopback, as the tests of the whole command have it."""

from tests.e2e.conftest import contacts, machine, stage

__all__ = ["contacts", "machine", "stage"]

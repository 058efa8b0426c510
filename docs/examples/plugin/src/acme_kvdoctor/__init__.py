"""Checks of kvdoctor that hold at Acme."""

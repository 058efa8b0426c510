"""Embedded gateway, engine and proxy on loopback, with faults to order.

``kvdoctor demo`` and the tests run against these. Bodies, headers and status codes are those
of the facts or were observed on the real servers; nothing is made up but the keys.
"""

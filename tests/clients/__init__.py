"""Tests of the client modules on made-up machines."""

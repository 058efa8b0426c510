"""Reads the log of an inference engine of any size: what failed, and where the GPU went."""

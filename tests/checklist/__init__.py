"""Checklists: read, judged, and as a gate of a pipeline."""

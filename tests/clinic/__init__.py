"""The clinic as a learner meets it."""

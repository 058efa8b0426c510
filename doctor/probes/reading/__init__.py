"""What an answer means: pure functions from an exchange to an outcome."""

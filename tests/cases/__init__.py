"""Real reports, reduced to their inputs, put to the program as it is run from outside."""

"""From an error text to its cause: the symptom dictionary and how it is read."""

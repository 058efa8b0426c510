"""What is shipped beside the program: completions, manual, wheel, plugins."""

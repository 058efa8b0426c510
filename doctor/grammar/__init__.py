"""The grammar of the command line: one module per command, and the options they share."""

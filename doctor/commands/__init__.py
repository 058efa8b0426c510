"""The commands, one module each: ``execute(options) -> exit code``."""

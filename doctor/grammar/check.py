"""The words of ``kvdoctor check``."""

from __future__ import annotations

from doctor.grammar import options


def add(commands: options.Commands) -> None:
    parser = options.command(commands, "check", "diagnose the connection and prove the repair")
    options.targets(parser)
    options.connection(parser)
    options.selection(parser)
    options.run(parser)
    options.output(parser, options.FORMAT_NAMES)
    options.bundle(parser)
    options.baseline(parser)

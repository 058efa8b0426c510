"""The words of ``kvdoctor list``."""

from __future__ import annotations

from doctor.grammar import options


def add(commands: options.Commands) -> None:
    parser = options.command(commands, "list", "the checks that exist")
    options.selection(parser)
    options.output(parser, ("plain", "json"))

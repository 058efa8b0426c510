"""The words of ``kvdoctor rule``."""

from __future__ import annotations

from doctor.grammar import options


def add(commands: options.Commands) -> None:
    parser = options.command(commands, "rule", "the documentation of a check")
    parser.add_argument("code", metavar="CODE", help="a code or a slug")
    options.output(parser, ("plain", "json"))

"""The words of ``kvdoctor replay``."""

from __future__ import annotations

from doctor.grammar import options


def add(commands: options.Commands) -> None:
    parser = options.command(
        commands, "replay", "the same checks on a saved bundle, with no network"
    )
    parser.add_argument("bundle", metavar="BUNDLE", help="a file of 'check --save-bundle'")
    options.selection(parser)
    options.output(parser, options.FORMAT_NAMES)

"""The words of ``kvdoctor undo``."""

from __future__ import annotations

from doctor.grammar import options


def add(commands: options.Commands) -> None:
    parser = options.command(commands, "undo", "put back, byte for byte, what a fix has changed")
    parser.add_argument(
        "id", nargs="?", metavar="ID", help="an entry of --list; none: the last one"
    )
    parser.add_argument("--list", action="store_true", help="what was applied, oldest first")
    parser.add_argument("--diff", action="store_true", help="show what would change, write nothing")
    options.output(parser, ("plain", "json"))

"""The words of ``kvdoctor fix``."""

from __future__ import annotations

from doctor.grammar import options


def add(commands: options.Commands) -> None:
    parser = options.command(commands, "fix", "apply what was proved, and ask again")
    parser.add_argument(
        "names",
        nargs="*",
        metavar="CODE|FIX-ID|TARGET",
        help="which fixes, and of which targets; none: every proved one",
    )
    parser.add_argument("--diff", action="store_true", help="show what would change, write nothing")
    parser.add_argument(
        "--yes", action="store_true", help="apply without a question what is safe and proved"
    )
    parser.add_argument(
        "--unsafe",
        action="store_true",
        help="with --yes: what takes something away or reaches others as well, if proved",
    )
    options.connection(parser)
    options.selection(parser)
    options.run(parser)
    options.output(parser, ("plain", "json"))

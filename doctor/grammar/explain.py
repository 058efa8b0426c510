"""The words of ``kvdoctor explain``."""

from __future__ import annotations

from doctor.grammar import options


def add(commands: options.Commands) -> None:
    parser = options.command(
        commands, "explain", "from an error text or a log to its cause and fix"
    )
    parser.add_argument(
        "text", nargs="*", metavar="TEXT|FILE|-", help="an error text, a file, or - for stdin"
    )
    parser.add_argument(
        "--no-context",
        action="store_true",
        help="judge by the text alone, not by the settings found here",
    )
    options.output(parser, options.ANSWER_FORMATS)

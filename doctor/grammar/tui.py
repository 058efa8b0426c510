"""The words of ``kvdoctor tui``."""

from __future__ import annotations

from argparse import SUPPRESS

from doctor.grammar import options, values


def add(commands: options.Commands) -> None:
    parser = options.command(commands, "tui", "the app: see, mend, verify and take back")
    options.targets(parser)
    parser.add_argument(
        "--web",
        action="store_true",
        help="in a browser, on loopback only and without fixes (needs kvdoctor[web])",
    )
    parser.add_argument(
        "--port", metavar="N", type=values.whole, default=0, help="for --web; default: any free one"
    )
    parser.add_argument("--served", action="store_true", help=SUPPRESS)
    parser.add_argument("--lang", metavar="LANG", help="en, zh_CN, …; default: the locale's")
    options.connection(parser)
    options.selection(parser)
    options.run(parser)

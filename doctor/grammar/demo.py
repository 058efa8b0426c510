"""The words of ``kvdoctor demo``."""

from __future__ import annotations

from doctor.grammar import options


def add(commands: options.Commands) -> None:
    parser = options.command(
        commands, "demo", "embedded broken setups, to see it work and to practise"
    )
    parser.add_argument("scenario", nargs="?", metavar="SCENARIO", help="default: the triple fault")
    parser.add_argument("--list", action="store_true", help="name the scenarios")
    parser.add_argument(
        "--serve",
        action="store_true",
        help="keep the servers up until Ctrl-C, and print the environment to try with any "
        "client (bash and zsh lines, or a document with --format json); the keys in it are "
        "made up and printed in full",
    )
    parser.add_argument("--tui", action="store_true", help="open it in the app")
    group = parser.add_argument_group("the clinic")
    group.add_argument(
        "--clinic",
        nargs="?",
        const="",
        metavar="LEVEL|CASE",
        help="mend a scenario in real files that stay; alone: the levels and what is solved",
    )
    group.add_argument("--check", action="store_true", help="judge the case")
    group.add_argument("--hint", action="store_true", help="one hint more")
    group.add_argument(
        "--answer", metavar="CODE", help="what is broken, where it is to be named, not mended"
    )
    group.add_argument("--reset", action="store_true", help="lay the case anew")
    # A diagnosis that was asked for as a demonstration is no failure.
    options.selection(parser, fail_on="never")
    options.run(parser)
    options.output(parser, options.FORMAT_NAMES)
    options.bundle(parser)

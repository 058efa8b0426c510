"""The words of ``kvdoctor checklist``."""

from __future__ import annotations

from doctor.grammar import options


def add(commands: options.Commands) -> None:
    parser = options.command(
        commands, "checklist", "a named selection, with a verdict for each line"
    )
    parser.description = (
        "Examines as 'check' does and judges by a list: triage, onboarding, prelaunch, one of "
        "kvdoctor.toml, or a TOML file. Exit code 1: an item failed, or one that is required was "
        "not tested."
    )
    parser.add_argument("name", nargs="?", metavar="NAME|FILE", help="default: triage")
    options.targets(parser)
    parser.add_argument("--list", action="store_true", help="name the checklists")
    parser.add_argument(
        "--answer",
        metavar="ITEM=yes|no",
        action="append",
        default=[],
        help="a person's answer to an item's question",
    )
    options.connection(parser)
    options.run(parser)
    options.output(parser, options.ANSWER_FORMATS)
    options.baseline(parser)
    # Which checks count, and from which severity on, is the list's to say.
    parser.set_defaults(select=[], ignore=[])

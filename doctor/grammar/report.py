"""The words of ``kvdoctor report``."""

from __future__ import annotations

from doctor.grammar import options


def add(commands: options.Commands) -> None:
    parser = options.command(commands, "report", "a redacted report for a bug tracker")
    parser.description = (
        "Examines as 'check' does, or reads a saved run, and prints what a bug tracker needs as "
        "markdown: diagnosis, findings, settings, what runs here. Keys, the home folder, the "
        "account's and the machine's name are taken out. What is printed is all that a file will "
        "hold: read it first."
    )
    options.targets(parser)
    options.connection(parser)
    options.selection(parser, fail_on="never")
    options.run(parser)
    group = parser.add_argument_group("the output")
    group.add_argument("--from-bundle", metavar="FILE", help="report a saved run, ask nobody")
    group.add_argument("--out", metavar="FILE", help="write it as well, as markdown")
    group.add_argument(
        "--with-bundle",
        action="store_true",
        help="keep every fact, redacted, beside --out, for 'kvdoctor replay'",
    )
    group.add_argument(
        "--hide-hosts", action="store_true", help="take out hosts of no known provider as well"
    )
    group.add_argument("--lang", metavar="LANG", help="en, zh_CN, …; default: en")

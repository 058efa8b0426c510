"""The words of ``kvdoctor tap``."""

from __future__ import annotations

from doctor.grammar import options


def add(commands: options.Commands) -> None:
    parser = options.command(
        commands, "tap", "what a program really sends, and what is wrong with it"
    )
    parser.usage = "kvdoctor tap [options] [-- COMMAND …]"
    parser.description = (
        "Runs a command with its API traffic passing through listeners on loopback that change "
        "nothing, then diagnoses what was sent and answered. Without a command it prints the "
        "addresses and the variables to set, and waits. No file of the program is changed. The "
        "exit code is the command's own, 1 where a finding reaches --fail-on; without a command 3 "
        "where no request came."
    )
    parser.add_argument("command_line", nargs="*", metavar="-- COMMAND …", help="what to run")
    group = parser.add_argument_group("the record")
    group.add_argument(
        "--record", metavar="FILE", help="write a line of JSON for each request, without keys"
    )
    group.add_argument(
        "--record-prompts",
        action="store_true",
        help="with the prompts, for 'kvdoctor prefix FILE'; they are your own words",
    )
    parser.add_argument("--tui", action="store_true", help="watch the requests in the app")
    options.connection(parser)
    options.selection(parser)
    options.output(parser, options.ANSWER_FORMATS)
    parser.set_defaults(
        targets=[],
        no_spend=True,
        offline=False,
        sdk=False,
        timeout=10.0,
        window=2.0,
        served=False,
    )

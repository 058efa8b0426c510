"""The command line: reads the arguments and hands over. Imports nothing heavy."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from doctor import __version__, exitcodes
from doctor.frontend import opens_app

if TYPE_CHECKING:
    import argparse

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

FORMAT_NAMES = ("plain", "rich", "json", "jsonl")
SEVERITY_NAMES = ("info", "warning", "error", "critical", "never")


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the value is the exit code."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments == ["--version"]:
        # Scripts ask this first; it need not wait for the grammar.
        sys.stdout.write(f"{_VERSION}\n")
        return exitcodes.OK
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in _TOP_LEVEL):
        app = opens_app(arguments, os.environ, sys.stdin, sys.stdout)
        arguments = ["tui" if app else "check", *arguments]
    options = build_parser(arguments[0]).parse_args(arguments)
    try:
        return _dispatch(options)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return exitcodes.INTERRUPTED
    except BrokenPipeError:
        # The reader of the pipe has seen enough; Python must not complain while it exits.
        sys.stderr.close()
        return exitcodes.OK
    except Exception as error:
        from doctor.crash import tell

        tell(error)
        return exitcodes.INTERNAL


def _dispatch(options: argparse.Namespace) -> int:
    from importlib import import_module

    module = import_module(f"doctor.commands.{options.command}")
    code: int = module.execute(options)
    return code


_TOP_LEVEL = ("-h", "--help", "--version")
_VERSION = f"kvdoctor {__version__}"


def build_parser(command: str | None = None) -> argparse.ArgumentParser:
    """The whole grammar; also the source of completions and the manual.

    With the name of a command that one alone, to which the others would add nothing but time.
    """
    from doctor.arguments import Parser

    parser: argparse.ArgumentParser = Parser(
        prog="kvdoctor",
        description="Finds what is broken between an LLM client and a completion, "
        "and proves the repair.",
        epilog="Without a command the app opens on a terminal ('tui'); elsewhere, and where text "
        "is asked for (--plain, --format, NO_COLOR), 'check' runs. "
        "Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 usage or configuration, "
        "3 nothing to examine, 4 internal, 130 interrupted.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=_VERSION)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    known = {
        "check": _add_check,
        "tui": _add_tui,
        "fix": _add_fix,
        "undo": _add_undo,
        "explain": _add_explain,
        "demo": _add_demo,
        "rule": _add_rule,
        "list": _add_list,
        "replay": _add_replay,
    }
    for add in known.values() if command not in known else (known[command],):
        add(commands)
    return parser


def _command(commands: Commands, name: str, text: str) -> argparse.ArgumentParser:
    description = text[0].upper() + text[1:] + "."
    return commands.add_parser(name, help=text, description=description, allow_abbrev=False)


def _add_check(commands: Commands) -> None:
    parser = _command(commands, "check", "diagnose the connection and prove the repair")
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="TARGET",
        help="a name from kvdoctor.toml, a client or a URL; none: everything discovered",
    )
    _add_connection(parser)
    _add_selection(parser)
    _add_run(parser)
    _add_output(parser, FORMAT_NAMES)
    _add_bundle(parser)


def _add_tui(commands: Commands) -> None:
    from argparse import SUPPRESS

    parser = _command(commands, "tui", "the app: see, mend, verify and take back")
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="TARGET",
        help="a name from kvdoctor.toml, a client or a URL; none: everything discovered",
    )
    parser.add_argument(
        "--web",
        action="store_true",
        help="in a browser, on loopback only and without fixes (needs kvdoctor[web])",
    )
    parser.add_argument(
        "--port", metavar="N", type=int, default=0, help="for --web; default: any free one"
    )
    parser.add_argument("--served", action="store_true", help=SUPPRESS)
    parser.add_argument("--lang", metavar="LANG", help="en, zh_CN, …; default: the locale's")
    _add_connection(parser)
    _add_selection(parser)
    _add_run(parser)


def _add_fix(commands: Commands) -> None:
    parser = _command(commands, "fix", "apply what was proved, and ask again")
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
    _add_connection(parser)
    _add_selection(parser)
    _add_run(parser)
    _add_output(parser, ("plain", "json"))


def _add_undo(commands: Commands) -> None:
    parser = _command(commands, "undo", "put back, byte for byte, what a fix has changed")
    parser.add_argument(
        "id", nargs="?", metavar="ID", help="an entry of --list; none: the last one"
    )
    parser.add_argument("--list", action="store_true", help="what was applied, oldest first")
    parser.add_argument("--diff", action="store_true", help="show what would change, write nothing")
    _add_output(parser, ("plain", "json"))


def _add_explain(commands: Commands) -> None:
    parser = _command(commands, "explain", "from an error text or a log to its cause and fix")
    parser.add_argument(
        "text", nargs="*", metavar="TEXT|FILE|-", help="an error text, a file, or - for stdin"
    )
    parser.add_argument(
        "--no-context",
        action="store_true",
        help="judge by the text alone, not by the settings found here",
    )
    _add_output(parser, ("plain", "rich", "json"))


def _add_demo(commands: Commands) -> None:
    parser = _command(commands, "demo", "embedded broken setups, to see it work and to practise")
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
    # A diagnosis that was asked for as a demonstration is no failure.
    _add_selection(parser, fail_on="never")
    _add_run(parser)
    _add_output(parser, FORMAT_NAMES)
    _add_bundle(parser)


def _add_rule(commands: Commands) -> None:
    parser = _command(commands, "rule", "the documentation of a check")
    parser.add_argument("code", metavar="CODE", help="a code or a slug")
    _add_output(parser, ("plain", "json"))


def _add_list(commands: Commands) -> None:
    parser = _command(commands, "list", "the checks that exist")
    _add_selection(parser)
    _add_output(parser, ("plain", "json"))


def _add_replay(commands: Commands) -> None:
    parser = _command(commands, "replay", "the same checks on a saved bundle, with no network")
    parser.add_argument("bundle", metavar="BUNDLE", help="a file of 'check --save-bundle'")
    _add_selection(parser)
    _add_output(parser, FORMAT_NAMES)


def _add_connection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the connection")
    group.add_argument("--base-url", metavar="URL")
    group.add_argument("--model", metavar="ID")
    group.add_argument("--max-tokens", metavar="N", type=int)
    group.add_argument("--client", metavar="NAME", help="the program whose rules apply")
    group.add_argument(
        "--protocol", choices=("openai-chat", "openai-responses", "anthropic-messages")
    )
    key = group.add_mutually_exclusive_group()
    key.add_argument("--key-env", metavar="NAME", help="the variable that holds the key")
    key.add_argument("--key-file", metavar="FILE", help="a file that holds the key")
    key.add_argument("--key-stdin", action="store_true", help="read the key from stdin")
    group.add_argument("--env-file", metavar="FILE", help="an env file to read")
    group.add_argument(
        "--env-reader",
        choices=("dotenv", "docker", "compose", "shell"),
        help="whose rules apply to the env file (default: dotenv)",
    )
    group.add_argument("--proxy", metavar="URL", help="'direct', 'environment' or a proxy's URL")
    group.add_argument("--ca-bundle", metavar="FILE", help="trust these certificates instead")
    group.add_argument(
        "--connect-to",
        metavar="HOST:PORT=HOST:PORT",
        action="append",
        default=[],
        help="dial another address, keeping the names (as curl does)",
    )
    group.add_argument(
        "--trust-project",
        action="store_true",
        help="let a file of this folder choose where your key goes",
    )


def _add_selection(parser: argparse.ArgumentParser, fail_on: str = "error") -> None:
    group = parser.add_argument_group("the checks")
    group.add_argument("--select", metavar="CODE|AREA", action="append", default=[])
    group.add_argument("--ignore", metavar="CODE|AREA", action="append", default=[])
    group.add_argument(
        "--fail-on",
        metavar="SEVERITY",
        choices=SEVERITY_NAMES,
        default=fail_on,
        help=f"exit 1 at this severity or above (default: {fail_on})",
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the run")
    group.add_argument("--no-spend", action="store_true", help="make no request that costs tokens")
    group.add_argument("--offline", action="store_true", help="judge the settings, ask nobody")
    group.add_argument("--sdk", action="store_true", help="ask through the openai SDK as well")
    group.add_argument(
        "--timeout", metavar="SECONDS", type=_positive, default=10.0, help="for one request"
    )


def _add_output(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
    group = parser.add_argument_group("the output")
    group.add_argument(
        "--format", choices=formats, help="default: rich on a terminal, plain elsewhere"
    )
    group.add_argument(
        "--out", metavar="FORMAT=FILE", action="append", default=[], help="write a file as well"
    )
    group.add_argument("--plain", action="store_true", help="linear text, no colour, no drawing")
    group.add_argument("--no-color", action="store_true")
    group.add_argument("--lang", metavar="LANG", help="en, zh_CN, …; default: the locale's")


def _add_bundle(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--save-bundle", metavar="FILE", help="keep every fact, redacted, for 'kvdoctor replay'"
    )


def _positive(text: str) -> float:
    from argparse import ArgumentTypeError

    value = float(text)
    if not 0 < value <= 3600:
        raise ArgumentTypeError("more than 0 and at most 3600 seconds")
    return value


if __name__ == "__main__":
    sys.exit(main())

"""Groups of options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TypeAlias

from doctor.grammar import values

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

SHEET_FORMATS = ("junit", "sarif", "github", "markdown", "html")
FORMAT_NAMES = ("plain", "rich", "json", "jsonl", *SHEET_FORMATS)
ANSWER_FORMATS = ("plain", "rich", "json", *SHEET_FORMATS)
SEVERITY_NAMES = ("info", "warning", "error", "critical", "never")


def command(commands: Commands, name: str, text: str) -> argparse.ArgumentParser:
    description = text[0].upper() + text[1:] + "."
    return commands.add_parser(name, help=text, description=description, allow_abbrev=False)


def targets(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="TARGET",
        help="a name from kvdoctor.toml, a client or a URL; none: everything discovered",
    )


def connection(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the connection")
    group.add_argument("--base-url", metavar="URL")
    group.add_argument("--model", metavar="ID")
    group.add_argument("--max-tokens", metavar="N", type=values.whole)
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
    group.add_argument(
        "--keychain",
        action="store_true",
        help="look whether the keychain holds a client's login (macOS); no password is read",
    )
    group.add_argument(
        "--run-key-helper",
        action="store_true",
        help="run the command in a client's settings that prints its key, once",
    )


def selection(parser: argparse.ArgumentParser, fail_on: str = "error") -> None:
    group = parser.add_argument_group("the checks")
    group.add_argument("--select", metavar="CODE|AREA", action="append", default=[])
    group.add_argument("--ignore", metavar="CODE|AREA", action="append", default=[])
    group.add_argument(
        "--fail-on",
        metavar="SEVERITY",
        choices=SEVERITY_NAMES,
        default=fail_on,
        help="exit 1 at this severity or above (default: %(default)s)",
    )


def run(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("the run")
    group.add_argument("--no-spend", action="store_true", help="make no request that costs tokens")
    group.add_argument("--offline", action="store_true", help="judge the settings, ask nobody")
    group.add_argument("--sdk", action="store_true", help="ask through the openai SDK as well")
    group.add_argument(
        "--timeout", metavar="SECONDS", type=values.positive, default=10.0, help="for one request"
    )
    group.add_argument(
        "--window",
        metavar="SECONDS",
        type=values.positive,
        default=2.0,
        help="how long a busy engine is watched (default: 2)",
    )


def output(parser: argparse.ArgumentParser, formats: Sequence[str]) -> None:
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


def bundle(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--save-bundle", metavar="FILE", help="keep every fact, redacted, for 'kvdoctor replay'"
    )


def baseline(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is new")
    group.add_argument("--baseline", metavar="FILE", help="show only what FILE does not know yet")
    group.add_argument(
        "--write-baseline", action="store_true", help="write what is found to that file instead"
    )

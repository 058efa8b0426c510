"""The command line: reads the arguments and hands over. Imports nothing heavy."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from doctor import __version__, exitcodes
from doctor.frontend import opens_app

if TYPE_CHECKING:
    import argparse

# In the order of the page of help. Each has its words in doctor/grammar/ and its work in
# doctor/commands/.
COMMANDS = (
    "check",
    "tui",
    "fix",
    "undo",
    "explain",
    "launch",
    "memory",
    "prefix",
    "demo",
    "rule",
    "list",
    "watch",
    "bench",
    "tap",
    "checklist",
    "report",
    "replay",
    "completions",
)


def run() -> NoReturn:
    """A process of its own, which ends with the command's exit code."""
    # Most objects are those of modules, which stay: to look through them for garbage after every
    # 700 new ones, and all of them once more at the end, is a tenth of a healthy run.
    gc.set_threshold(50_000)
    code = main()
    gc.freeze()
    sys.exit(code)


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
    options = _parsed(arguments)
    try:
        return _dispatch(options)
    except KeyboardInterrupt:
        from doctor.arguments import told
        from doctor.text import _

        sys.stderr.write(told(_("interrupted")) + "\n")
        return exitcodes.INTERRUPTED
    except BrokenPipeError:
        # The reader of the pipe has seen enough; Python must not complain while it exits.
        sys.stderr.close()
        return exitcodes.OK
    except Exception as error:
        from doctor.crash import tell

        tell(error)
        return exitcodes.INTERNAL


def _parsed(arguments: list[str]) -> argparse.Namespace:
    parser = build_parser(arguments[0])
    if arguments[0] != "memory":
        return parser.parse_args(arguments)
    # Its other words are a model and vLLM's flags, which vLLM's own rules take apart.
    options, words = parser.parse_known_args(arguments)
    options.words = words
    return options


def _dispatch(options: argparse.Namespace) -> int:
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
    for name in (command,) if command in COMMANDS else COMMANDS:
        import_module(f"doctor.grammar.{name}").add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""``kvdoctor --web``: the app in a browser of this machine, without fixes."""

from __future__ import annotations

import argparse
import shlex
import socket
import subprocess
import sys
from collections.abc import Sequence

from doctor import exitcodes
from doctor.commands.output import complain
from doctor.text import _

_HOST = "127.0.0.1"
_OWN = ("--web", "--port")


def serve(options: argparse.Namespace, arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C. ``arguments`` are those of the command line."""
    try:
        from doctor.tui.served import run
    except ImportError:
        complain(_("--web needs more: pip install 'kvdoctor[web]'"))
        return exitcodes.USAGE
    try:
        listening = socket.create_server((_HOST, options.port))
    except OSError as error:
        complain(_("--port {port}: {why}", port=options.port, why=error.strerror))
        return exitcodes.USAGE
    with listening:
        run(command_of(sys.argv[1:] if arguments is None else arguments), listening)
    return exitcodes.OK


def command_of(arguments: Sequence[str]) -> str:
    """The command that draws one browser's app: the same arguments, but for those of serving."""
    kept: list[str] = []
    skip = False
    for argument in arguments:
        name, equals, _value = argument.partition("=")
        if skip or name in _OWN:
            skip = name == "--port" and not equals and not skip
            continue
        kept.append(argument)
    if kept[:1] == ["tui"]:
        kept = kept[1:]
    # -P: a folder called "doctor" in the working folder is not this program.
    words = [sys.executable, "-P", "-m", "doctor", "tui", "--served", *kept]
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)

"""What real shells complete: bash and fish are asked, zsh is typed into on a terminal."""

from __future__ import annotations

import os
import pty
import select
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from tests.fixes.shells import need

DONE = b"<completed>"
ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "xterm"}


def bash(script: Path, line: str, cwd: Path) -> list[str]:
    """What bash offers at the end of ``line``, whose words are split as bash splits them."""
    words = _split(line)
    program = (
        f". {shlex.quote(str(script))}\n"
        f"COMP_WORDS=({' '.join(map(shlex.quote, words))})\nCOMP_CWORD={len(words) - 1}\n"
        '_kvdoctor\nprintf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(
        [need("bash"), "--noprofile", "--norc", "-c", program],
        env=ENV,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stderr
    return done.stdout.split()


def _split(line: str) -> list[str]:
    """``=`` is among COMP_WORDBREAKS."""
    words: list[str] = []
    for word in line.split(" "):
        before, equals, after = word.partition("=")
        words += [before, equals, after] if equals and after else [before, *filter(None, [equals])]
    return words


def fish(script: Path, line: str, cwd: Path) -> list[str]:
    """What fish offers, without the descriptions."""
    program = f"source {shlex.quote(str(script))}; complete -C {shlex.quote(line)}"
    done = subprocess.run(
        [need("fish"), "--no-config", "-c", program],
        env=ENV | {"HOME": str(cwd)},
        cwd=cwd,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not done.stderr
    return [offered.split("\t")[0] for offered in done.stdout.splitlines()]


def zsh(script: Path, line: str, cwd: Path, *, autoloaded: bool = False) -> str:
    """The line after Tab was pressed at its end, as an interactive zsh has it. The script is
    sourced, or ``autoloaded`` from a folder of ``fpath``."""
    shell = need("zsh")
    out = cwd / "line-after-tab"
    setup = cwd / ".zshrc"
    functions = cwd / "functions"
    if autoloaded:
        functions.mkdir()
        shutil.copy(script, functions / "_kvdoctor")
    source = "" if autoloaded else f". {shlex.quote(str(script))}\n"
    setup.write_text(
        f"PS1=; fpath+={shlex.quote(str(functions))}; autoload -U compinit; compinit -u -D\n"
        "zstyle ':completion:*' menu no; unsetopt beep automenu; setopt nolistambiguous\n"
        f"{source}"
        f'told() {{ print -rn -- "$BUFFER" > {shlex.quote(str(out))}; '
        f"print -rn -- '{DONE.decode()}'; }}\n"
        "zle -N told; bindkey '^X^T' told\n"
    )
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover
        os.chdir(cwd)
        os.execve(shell, [shell, "-d", "-i"], ENV | {"ZDOTDIR": str(cwd), "HOME": str(cwd)})
        sys.exit(127)
    try:
        os.write(terminal, line.encode() + b"\t\x18\x14")
        _until(terminal, DONE)
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)
    return out.read_text("utf-8")


def _until(terminal: int, mark: bytes) -> None:
    """Reads until the shell says so. Raises ``AssertionError`` with what it said instead."""
    said = b""
    while mark not in said:
        ready, _write, _error = select.select([terminal], [], [], 60)
        assert ready, said
        said += os.read(terminal, 65536)

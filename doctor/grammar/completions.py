"""The words of ``kvdoctor completions``."""

from __future__ import annotations

from doctor.grammar import options


def add(commands: options.Commands) -> None:
    parser = options.command(commands, "completions", "a completion script, or the manual page")
    parser.description = (
        "Prints a script that completes commands, options and values, or with 'man' the manual "
        "page. 'kvdoctor completions man | man -l -' reads it; docs/install.md says where each "
        "shell keeps its script."
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish", "powershell", "man"))

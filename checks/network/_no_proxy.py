"""What a NO_PROXY list was meant to say, and why it does not."""

from __future__ import annotations

import enum
import fnmatch
import re

from doctor.checkapi import Text, _, visible
from doctor.facts.network import Endpoint
from doctor.patterns import Pattern
from doctor.proxyrules import Variables, no_proxy, route
from doctor.proxyrules.portable import NAMES, QUOTES, pieces, portable, without_scheme
from doctor.proxyrules.variables import Chosen
from doctor.records import dataclass
from doctor.urls import is_loopback

_WRONG_SEPARATORS = Pattern(r"[;，；、]")


class Trouble(enum.StrEnum):
    """Why an entry has no effect, or a bad one."""

    SEPARATOR = "separator"
    BLANK = "blank"
    WILDCARD = "wildcard"
    SCHEME = "scheme"
    QUOTES = "quotes"
    CRASH = "crash"


@dataclass(frozen=True, slots=True)
class Lost:
    """An exclusion that was meant and is not in effect. ``variable`` holds ``value``; written as
    ``portable`` the examined client goes direct."""

    variable: Chosen
    entry: str
    trouble: Trouble
    portable: str


def means(piece: str, target: Endpoint) -> bool:
    """Whether whoever wrote ``piece`` wanted ``target`` excluded."""
    text = piece.lower()
    if text == "*":
        return True
    if text == "<local>":
        return is_loopback(target.host) or "." not in target.host
    text = without_scheme(text)
    if no_proxy.in_network(target.host, text):
        return True
    bracketed = re.fullmatch(r"\[([^\]]*)\](?::([0-9]+))?", text)
    plain = re.fullmatch(r"([^:]*):([0-9]+)", text)
    match = bracketed or plain
    if match is not None:
        if match.group(2) and int(match.group(2)) != target.port:
            return False
        text = match.group(1)
    if "*" in text:
        bare = text.removeprefix("*.")
        return fnmatch.fnmatchcase(target.host, text) or target.host == bare
    name = text.lstrip(".")
    return bool(name) and (target.host == name or target.host.endswith(f".{name}"))


def trouble_with(piece: str, value: str) -> Trouble | None:
    """What is wrong with how ``piece`` stands in ``value``; None for what some library takes."""
    if piece not in no_proxy.separated(value):
        if any(q + piece in value or piece + q in value for q in QUOTES):
            return Trouble.QUOTES
        return Trouble.SEPARATOR if _WRONG_SEPARATORS.search(value) else Trouble.BLANK
    if "://" in piece:
        return Trouble.SCHEME
    if piece == "<local>" or (piece != "*" and "*" in piece.removeprefix("*.")):
        return Trouble.WILDCARD
    return None


def without(value: str, entries: tuple[str, ...]) -> str:
    """The list without ``entries``, the rest as it stands."""
    return ",".join(entry for entry in no_proxy.separated(value) if entry not in entries)


def lost(stack: str, target: Endpoint, variables: Variables) -> Lost | None:
    """The exclusion of ``target`` that a badly written list was meant to make, None where none.

    Proved by the library's own rule: with the list in portable form it goes direct.
    """
    for name in NAMES:
        chosen = variables.find(name)
        if chosen is None or not chosen.value:
            continue
        better = portable(chosen.value, target)
        if route(stack, target, variables.replaced(chosen.name, better)).proxy is not None:
            continue
        for piece in pieces(chosen.value):
            trouble = trouble_with(piece, chosen.value)
            if trouble is not None and means(piece, target):
                return Lost(chosen, piece, trouble, better)
    return None


def unheeded(stack: str, target: Endpoint, variables: Variables) -> tuple[Chosen, str] | None:
    """A sound entry that means ``target`` but that this library does not heed (a network, a port,
    ``localhost`` for its address), with the variable that holds it."""
    for name in NAMES:
        chosen = variables.find(name)
        if chosen is None:
            continue
        for piece in pieces(chosen.value):
            other_name = is_loopback(target.host) and is_loopback(piece)
            if means(piece, target) or other_name:
                return chosen, piece
    return None


def describe(trouble: Trouble, entry: str) -> Text:
    """Why the entry does nothing."""
    shown = visible(entry, 80)
    if trouble is Trouble.SEPARATOR:
        return _(
            "Only a comma separates entries; with another sign “{entry}” is lost.", entry=shown
        )
    if trouble is Trouble.BLANK:
        return _(
            "A blank does not separate entries in Python programs, so “{entry}” is lost.",
            entry=shown,
        )
    if trouble is Trouble.WILDCARD:
        return _("No library reads “{entry}” as a pattern.", entry=shown)
    if trouble is Trouble.SCHEME:
        return _("An entry is a host, so most programs never match “{entry}”.", entry=shown)
    if trouble is Trouble.QUOTES:
        return _("The quotes are part of the entry, so “{entry}” is never matched.", entry=shown)
    return _("httpx 0.28 does not start with “{entry}”.", entry=shown)


def assignment(platform: str, value: str) -> str:
    """Both cases of the variable with ``value``, as a line for the platform's shell."""
    if platform == "win32":
        return f"set NO_PROXY={value}"
    return f"export NO_PROXY={value} no_proxy={value}"

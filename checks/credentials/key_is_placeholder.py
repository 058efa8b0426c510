"""KVD106: a sample or a word where the key is due."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Finding,
    NotApplicable,
    Secret,
    SettingName,
    _,
    check,
    facts,
    joined,
    problem,
    visible,
)
from doctor.checkapi import Severity as Level
from doctor.connection import Connection, Setting

from ._client_variables import reference_form
from ._key_text import before_comment, body, is_empty, is_url
from ._place import is_local
from ._placeholder import (
    PROXY_MANAGED,
    is_abbreviated,
    is_placeholder,
    reference_in,
    stands_for_no_key,
)
from ._show import host_of, key_evidence, place
from ._sources import key_beside_base_url, origin_of
from ._verdict import WANTS, KeyVerdict, key_verdict

CODE = "KVD106"


@check(
    code=CODE,
    slug="key-is-placeholder",
    severity=Level.ERROR,
    wants=(facts.ENVIRONMENT, *WANTS),
    explains=("KVD111", "KVD114"),
)
async def key_is_placeholder(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The key is a sample of a manual, an unexpanded variable, a shortened key or a word.

    What it checks: whether the key in effect reads like `sk-你的Key`, `your-api-key`, `<key>`,
    `sk-xxxx`, `${NAME}`, `sk-abc…xyz` or `PROXY_MANAGED`, and, where the server refuses it,
    like `EMPTY`.

    Why it matters: it gives a 401 that looks like a wrong key; one with a letter beyond ASCII
    is not even sent. A server that asks for no key takes any of them, so nothing is said about
    a key that is let through, nor about one for a machine of the own network that was not
    asked.

    How to fix: put the key in its place. For an unexpanded variable, use a reader that expands
    it, or write the value. `PROXY_MANAGED` belongs to CC Switch: switch its proxy on, or write
    the key.

    Fix safety: the value of an unexpanded variable is taken over only where the setting that
    names it is not one of the working folder. No other key is ever put in.

    References: facts/gateway-clients.md on CC Switch's takeover
    """
    connection = f.connection
    setting = connection.key
    text = "" if setting is None else setting.value.reveal()
    if setting is None or is_empty(text):
        raise NotApplicable("there is no key")
    if is_url(text) or before_comment(text) is not None:
        return
    sample = is_placeholder(text)
    if not sample and not stands_for_no_key(text):
        return
    verdict = await key_verdict(f)
    if not _at_fault(text, sample, verdict, connection):
        return
    environment = await f.find(facts.ENVIRONMENT)
    variables = {} if environment is None else environment.variables
    yield problem(
        _title(text),
        _explain(text, connection, setting, variables),
        evidence=(key_evidence(setting),),
        changes=_changes(text, connection, setting, variables),
    )


def _at_fault(text: str, sample: bool, verdict: KeyVerdict, connection: Connection) -> bool:
    """Whether a real key is due here at all."""
    if verdict.let_through:
        return False
    if verdict.turned_away or not text.isascii():
        return True
    # Without an answer it is a fault only where a server surely asks for a key.
    return sample and not is_local(host_of(connection))


def _title(text: str) -> str:
    core = body(text)
    if core == PROXY_MANAGED:
        return _("The key is the placeholder of CC Switch")
    name = reference_in(text)
    if name is not None:
        return _("The key is the unexpanded variable {name}", name=visible(name, 60))
    if is_abbreviated(text):
        return _("The key is a shortened display of a key")
    return _('The key is the placeholder "{text}"', text=visible(core, 60))


def _explain(
    text: str, connection: Connection, setting: Setting[Secret], variables: dict[str, str]
) -> str:
    host, where = host_of(connection), place(origin_of(setting))
    name = reference_in(text)
    if body(text) == PROXY_MANAGED:
        return _(
            "CC Switch writes PROXY_MANAGED while its local proxy carries the traffic and puts "
            "the key in itself. {host} is not that proxy. Switch the proxy of CC Switch on, or "
            "put the key for {host} into {place}.",
            host=host,
            place=where,
        )
    if name is not None:
        known = (
            _("The environment holds {name}, so its value is what was meant.", name=name)
            if _value_of(name, variables)
            else _("Nor is {name} set in this environment.", name=name)
        )
        form = reference_form(connection.client, name) if origin_of(setting).path else None
        return joined(
            _("What reads {place} does not expand this, so the text itself is sent.", place=where)
            if form is not None
            else _(
                "What reads {place} does not expand variables, so the text itself is sent.",
                place=where,
            ),
            known,
            "" if form is None else _("Write {form}.", form=form),
        )
    if is_abbreviated(text):
        return _(
            "Consoles show a key in full only once and later leave its middle out; that display "
            "was copied to {place}. If the key is not kept elsewhere, make a new one.",
            place=where,
        )
    if stands_for_no_key(text):
        return _(
            "Such a word is sent to servers that ask for no key. {host} asks for one: put it "
            "into {place}.",
            host=host,
            place=where,
        )
    return _(
        "The text of a sample stands in {place}. Put the key for {host} there.",
        host=host,
        place=where,
    )


def _value_of(name: str | None, variables: dict[str, str]) -> str:
    """The value of a variable if it is a key, and not again a reference."""
    value = variables.get(name, "") if name else ""
    return "" if is_empty(value) or is_placeholder(value) else value


def _changes(
    text: str, connection: Connection, setting: Setting[Secret], variables: dict[str, str]
) -> tuple[Change, ...]:
    name = reference_in(text)
    value = _value_of(name, variables)
    if value and name and not origin_of(setting).project:
        title = _("use the value of {name}", name=name)
        return (Change(CODE, SettingName.KEY, Secret(value), title),)
    beside = key_beside_base_url(connection)
    if beside is None:
        return ()
    title = _("use the key of {place}", place=place(beside.origin))
    return (Change(CODE, SettingName.KEY, beside.value, title, guess=True),)

"""Which fault of the model id a connection has: at most one of KVD501, 502, 503, 505 and 506.

The five checks share the evidence and must never speak of the same cause twice, so one place
decides and each check explains its own verdict.
"""

from __future__ import annotations

import enum
import re
import urllib.parse
from collections.abc import Sequence

from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Evidence,
    NotApplicable,
    SettingName,
    Text,
    Unavailable,
    _,
    facts,
    visible,
)
from doctor.connection import Connection, Protocol
from doctor.facts.answers import OutcomeKind, Reply, ServedModel
from doctor.model_names import (
    Likeness,
    Match,
    answers_chat,
    core,
    is_dated,
    is_family_name,
    is_slip,
    matches,
    served_as,
    successors,
    vendor_of,
    with_vendor,
    without_routing,
)
from doctor.model_placeholders import Placeholder, placeholder
from doctor.model_words import OWN_MODELS_ONLY
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.token_usage import JSON_UNASKED

# What a check on the model id reads; each may be missing.
MODEL_FACTS = (facts.COMPLETION, facts.MODELS)

_K = OutcomeKind
# What is judged after the model: seeing one of these, the server knew it.
_BEHIND_THE_MODEL = frozenset(
    {
        _K.ANSWERED,
        _K.CONTENT_EMPTY,
        _K.MAX_TOKENS_REFUSED,
        _K.MAX_TOKENS_NOT_POSITIVE,
        _K.THINKING_REFUSED,
        _K.PROMPT_TOO_LONG,
    }
)
# new-api: no channel is left, or none has a price (facts/gateway-clients.md §1.3).
_NO_ROUTE_CODES = frozenset({"get_channel_failed", "model_price_error"})
# A refusal of the model that came with status 200.
_REFUSAL_TEXT = Pattern(
    r"model[^.]{0,80}(?:does not exist|not exist|not found|not supported|is not a valid)"
    r"|no such model|invalid model|unknown model|模型[^。]{0,40}(?:不存在|无效|未找到)",
    re.I,
)
_NO_ROUTE_TEXT = Pattern(r"无可用渠道|可用渠道不存在|no available channel", re.I)
# LiteLLM's own refusal: its route or its caller left out the provider.
_WANTS_PREFIX = Pattern(r"LLM Provider NOT provided", re.I)
# OpenRouter's wording, whose ids all carry a vendor (case BR-104).
_OPENROUTER = Pattern(r"is not a valid model ID", re.I)
# CC Switch says "no channel" of its own providers; that is its fault, not the model's.
_SWITCH = Pattern(r"熔断")
# These are faults where a server refuses them only.
_MAY_BE_MEANT = frozenset({Placeholder.INTERNAL, Placeholder.STAND_IN})
_COMMENT = Pattern(r"(?:^|\s)#")
_MENTIONED = Pattern(r"model [`'\"]([^`'\"]+)[`'\"]", re.I)


class Verdict(enum.StrEnum):
    """What the answer to a completion says about the model."""

    ACCEPTED = "accepted"
    UNKNOWN = "unknown"
    NO_ROUTE = "no-route"
    UNNAMED = "unnamed"  # the request named none
    OTHER = "other"  # it failed before the model was looked at
    UNTESTED = "untested"  # no completion was asked for


class Code(enum.StrEnum):
    NOT_SERVED = "KVD501"
    NEARLY_RIGHT = "KVD502"
    PLACEHOLDER = "KVD503"
    NO_ROUTE = "KVD505"
    CLIENT_PREFIX = "KVD506"


@dataclass(frozen=True, slots=True)
class ModelCase:
    """The model id of a connection and what a server said of it.

    ``asked`` is None where no source names a model. ``vendor`` is the one whose models alone the
    host serves, None where that is not known. ``served`` are the entries of the models
    list, or the ids that the refusal names; None where neither is known. ``shadowed`` are the ids
    that other sources hold for the same connection.
    """

    asked: str | None
    verdict: Verdict
    served: tuple[ServedModel, ...] | None = None
    reply: Reply | None = None
    origin: str = ""
    vendor: str | None = None
    shadowed: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(model.id for model in self.served or ())

    @property
    def message(self) -> str:
        return "" if self.reply is None else self.reply.outcome.message

    @property
    def shown(self) -> str:
        return visible(self.asked or "")


@dataclass(frozen=True, slots=True)
class Judgement:
    """The one fault. ``matches`` are the ids that may be meant, likeliest first; ``sure`` says
    that there is exactly one and that it is right by itself."""

    code: Code
    matches: tuple[Match, ...] = ()
    sure: bool = False
    placeholder: Placeholder | None = None
    listed: bool = False
    wants_prefix: bool = False


async def model_case(f: DeclaredFacts) -> ModelCase:
    """What is known of the connection's model.

    Raises ``NotApplicable`` where no model is configured and no answer speaks of one, and
    ``Unavailable`` where neither a completion nor a models list was had.
    """
    setting = f.connection.model
    reply = await f.find(facts.COMPLETION)
    listing = await f.find(facts.MODELS)
    served = (listing.models if listing is not None else None) or None
    if served is None and reply is not None and reply.outcome.served:
        served = tuple(ServedModel(name) for name in reply.outcome.served)
    verdict = _verdict(reply, served, None if setting is None else setting.value)
    if setting is not None:
        vendor = _vendor_at(f.connection)
        lost = tuple(shadowed.value for shadowed in setting.shadows)
        return ModelCase(setting.value, verdict, served, reply, str(setting.origin), vendor, lost)
    if verdict is Verdict.UNKNOWN and reply is not None:
        # The doctor had to pick a model itself; only one that no list offers tells anything.
        asked = _mentioned(reply) or reply.exchange.request_model
        if asked and served_as(asked, (m.id for m in served or ())) is None:
            return ModelCase(asked, verdict, served, reply)
    if verdict in (Verdict.UNNAMED, Verdict.NO_ROUTE):
        return ModelCase(None, verdict, served, reply)
    raise NotApplicable("no source names a model")


def judge(case: ModelCase) -> Judgement | None:
    """The one fault of the model id, or None."""
    if case.asked is None:
        return _judge_unnamed(case.verdict)
    if case.verdict is Verdict.ACCEPTED or _COMMENT.search(case.asked):
        return None
    listed = served_as(case.asked, case.ids) is not None
    refused = case.verdict in (Verdict.UNKNOWN, Verdict.NO_ROUTE)
    made_up = placeholder(case.asked)
    if made_up is not None and not listed and (refused or made_up not in _MAY_BE_MEANT):
        return _judge_placeholder(case, made_up)
    if _WANTS_PREFIX.search(case.message):
        return Judgement(Code.CLIENT_PREFIX, wants_prefix=True)
    if case.verdict in (Verdict.OTHER, Verdict.UNNAMED):
        return None
    if listed:
        return Judgement(Code.NO_ROUTE, _variants(case), listed=True) if refused else None
    if case.served:
        return _judge_against_list(case)
    if case.verdict is Verdict.UNTESTED:
        return _judge_unasked(case)
    return _judge_without_list(case) if refused else None


async def judged(f: DeclaredFacts, code: Code) -> tuple[ModelCase, Judgement] | None:
    """The case and its judgement if that is ``code``.

    Raises ``Unavailable`` where nothing was heard of the model, neither by a completion nor by a
    models list; a placeholder shows in the id alone.
    """
    case = await model_case(f)
    judgement = judge(case)
    if judgement is not None:
        return (case, judgement) if judgement.code is code else None
    if code is Code.PLACEHOLDER or case.verdict is Verdict.ACCEPTED:
        return None
    if case.asked is not None and served_as(case.asked, case.ids) is not None:
        return None
    if case.verdict is Verdict.UNTESTED:
        await f.get(facts.COMPLETION)  # raises the reason
    raise Unavailable("the request failed before anything was said about the model")


def changes_to(code: Code, judgement: Judgement) -> tuple[Change, ...]:
    """The candidate repairs: the one right id, or each likely one as a guess."""
    return tuple(
        Change(
            code=code.value,
            setting=SettingName.MODEL,
            value=match.id,
            title=_("use the model id {id}", id=visible(match.id)),
            guess=not judgement.sure,
            rank=rank,
        )
        for rank, match in enumerate(judgement.matches)
    )


def evidence_of(case: ModelCase) -> tuple[Evidence, ...]:
    """The configured id, the answer and the models list."""
    found = []
    if case.asked is not None and case.origin:
        found.append(Evidence(_("setting"), case.origin, case.shown or _("(empty)")))
    if case.reply is not None and case.verdict is not Verdict.OTHER:
        exchange = case.reply.exchange
        found.append(
            Evidence(
                _("answer"), f"{exchange.method} {exchange.url} → {exchange.status}", case.message
            )
        )
    if case.served:
        found.append(Evidence(_("models list"), _("{n} ids", n=len(case.ids)), listing(case.ids)))
    return tuple(found)


def listing(ids: Sequence[str], most: int = 6) -> Text:
    """``a, b, c and 12 more``."""
    shown = ", ".join(visible(name) for name in ids[:most])
    if len(ids) <= most:
        return _("{ids}", ids=shown)
    return _("{ids} and {n} more", ids=shown, n=f"{len(ids) - most:,}")


def _verdict(
    reply: Reply | None, served: tuple[ServedModel, ...] | None, asked: str | None
) -> Verdict:
    if reply is None:
        return Verdict.UNTESTED
    outcome = reply.outcome
    if outcome.kind in _BEHIND_THE_MODEL or outcome.text or JSON_UNASKED in outcome.oddities:
        return Verdict.ACCEPTED
    if outcome.kind is _K.MODEL_UNKNOWN:
        return Verdict.UNKNOWN
    if outcome.kind is _K.MODEL_MISSING:
        return Verdict.UNNAMED
    if outcome.kind is _K.NO_CHANNEL and not _SWITCH.search(outcome.message):
        return Verdict.NO_ROUTE
    if outcome.kind is _K.SERVER_ERROR and outcome.error_code in _NO_ROUTE_CODES:
        return Verdict.NO_ROUTE
    # Only where the list confirms it; else the error itself is all that is known (KVD511).
    in_success = outcome.kind is _K.ERROR_IN_SUCCESS and served and asked
    if in_success and served_as(asked or "", (model.id for model in served or ())) is None:
        if _NO_ROUTE_TEXT.search(outcome.message):
            return Verdict.NO_ROUTE
        if _REFUSAL_TEXT.search(outcome.message):
            return Verdict.UNKNOWN
    return Verdict.OTHER


def _mentioned(reply: Reply) -> str | None:
    match = _MENTIONED.search(reply.outcome.message)
    return match.group(1) if match else None


def _judge_unnamed(verdict: Verdict) -> Judgement | None:
    if verdict is Verdict.UNNAMED:
        return Judgement(Code.PLACEHOLDER, placeholder=Placeholder.EMPTY)
    return Judgement(Code.NO_ROUTE) if verdict is Verdict.NO_ROUTE else None


def _judge_placeholder(case: ModelCase, made_up: Placeholder) -> Judgement:
    """Any served model may have been meant; with a single one there is no choice."""
    fit = [name for name in case.ids if "*" not in name and answers_chat(name)]
    offered = tuple(Match(name, Likeness.NEAR, 0.0) for name in fit[:3])
    return Judgement(Code.PLACEHOLDER, offered, sure=len(fit) == 1, placeholder=made_up)


def _judge_against_list(case: ModelCase) -> Judgement:
    assert case.asked is not None
    roots = {m.id: m.root for m in case.served or () if m.root is not None}
    found = matches(case.asked, case.ids, roots)
    if not found or found[0].likeness is Likeness.NEAR:
        taken = (name for name in without_routing(case.asked) if served_as(name, case.ids))
        found = tuple(Match(name, Likeness.ROUTING) for name in taken) or found
    if found and found[0].likeness is not Likeness.NEAR:
        prefixed = found[0].likeness is Likeness.ROUTING
        code = Code.CLIENT_PREFIX if prefixed else Code.NEARLY_RIGHT
        return Judgement(code, found, sure=_is_sure(case.asked, found))
    if _lacks_channel(case, found):
        return Judgement(Code.NO_ROUTE)
    if not found and len(case.ids) == 1:
        found = (Match(case.ids[0], Likeness.NEAR, 0.0),)
    return Judgement(Code.NOT_SERVED, found)


def _lacks_channel(case: ModelCase, found: Sequence[Match]) -> bool:
    """The gateway says that it has no channel for this id, and nothing says that the id is wrong:
    its list has those only that have a channel for this key."""
    asked = case.asked or ""
    said = case.verdict is Verdict.NO_ROUTE and _NO_ROUTE_TEXT.search(case.message)
    return bool(said) and not is_family_name(asked) and not (found and is_slip(asked, found[0]))


def _is_sure(asked: str, found: tuple[Match, ...]) -> bool:
    if len(found) != 1:
        return False
    both_dated = is_dated(asked) and is_dated(found[0].id)
    return found[0].likeness is not Likeness.VERSION or not both_dated


def _judge_unasked(case: ModelCase) -> Judgement | None:
    """Nothing was heard. A vendor's own host serves neither what it retired nor others' models."""
    asked = case.asked or ""
    if case.vendor is None:
        return None
    owner = vendor_of(asked)
    if owner is not None and owner != case.vendor:
        return Judgement(Code.NOT_SERVED)
    renamed = successors(asked) if owner == case.vendor else ()
    if not renamed:
        return None
    return Judgement(Code.NEARLY_RIGHT, tuple(Match(name, Likeness.RENAMED) for name in renamed))


def _vendor_at(connection: Connection) -> str | None:
    """By OpenAI's protocols only: by Anthropic's some take Claude's names for their own."""
    if connection.protocol not in (Protocol.OPENAI_CHAT, Protocol.OPENAI_RESPONSES):
        return None
    from doctor.settings.providers import provider_for_host

    try:
        host = urllib.parse.urlsplit(connection.base_url.value.strip()).hostname
    except ValueError:
        return None
    known = provider_for_host(host) if host else None
    return None if known is None else OWN_MODELS_ONLY.get(known.id)


def _judge_without_list(case: ModelCase) -> Judgement:
    """The wording of the refusal and the form of the id are all there is."""
    assert case.asked is not None
    inner = core(case.asked)
    if inner != case.asked:
        return Judgement(Code.NEARLY_RIGHT, (Match(inner, Likeness.QUOTED),), sure=True)
    bare = without_routing(case.asked)
    if bare:
        return Judgement(Code.CLIENT_PREFIX, tuple(Match(name, Likeness.ROUTING) for name in bare))
    known = [m for m in matches(case.asked, case.shadowed) if m.likeness is not Likeness.NEAR]
    if known:
        return Judgement(Code.NEARLY_RIGHT, tuple(known))
    if case.verdict is Verdict.NO_ROUTE:
        return Judgement(Code.NOT_SERVED if is_family_name(case.asked) else Code.NO_ROUTE)
    vendored = with_vendor(case.asked)
    if vendored is not None and _OPENROUTER.search(case.message):
        return Judgement(Code.NEARLY_RIGHT, (Match(vendored, Likeness.VENDOR),))
    if renamed := successors(case.asked):
        return Judgement(
            Code.NEARLY_RIGHT, tuple(Match(name, Likeness.RENAMED) for name in renamed)
        )
    return Judgement(Code.NOT_SERVED)


def _variants(case: ModelCase) -> tuple[Match, ...]:
    """Other listed ids of the very same model, which may have a channel."""
    assert case.asked is not None
    found = matches(case.asked, case.ids)
    return tuple(match for match in found if match.likeness is not Likeness.NEAR)

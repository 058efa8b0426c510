"""The same request through the openai SDK: the exception that a user pastes.

It says nothing that the raw request does not know, but in the words that people search for: the
visible text is often just "Connection error." and the cause stands in ``__cause__``
(facts/gateway-clients.md §§2.1, 2.3, 2.4).
"""

from __future__ import annotations

import asyncio
import importlib
import os
import time
from typing import TYPE_CHECKING, Any

from doctor.connection import Connection, Protocol
from doctor.facts import COMPLETION
from doctor.facts.answers import Reply, SdkAnswer
from doctor.facts.network import TransportFault
from doctor.facts.store import Facts, Unavailable
from doctor.outcomes import answered
from doctor.probes.consent import require_consent
from doctor.probes.faults import chain_of
from doctor.probes.phases import Phases
from doctor.probes.reading.pages import is_html
from doctor.probes.trust import build_context
from doctor.probes.way import Blocked, Way, require_network, way_of
from doctor.probes.wire import QUESTION, Plan, key_of
from doctor.text import _
from doctor.untrusted import visible

if TYPE_CHECKING:
    import openai

_WAITED = frozenset({TransportFault.READ_TIMEOUT, TransportFault.CONNECT_TIMEOUT})
# Read by the SDK from its own process; may hold another key.
_HEADERS = "OPENAI_CUSTOM_HEADERS"
_SPOKEN = (Protocol.OPENAI_CHAT, Protocol.OPENAI_RESPONSES)
# What a program does with the answer first.
_WHOLE = "response.choices[0]"
_CHUNK = "chunk.choices[0]"
_OUTPUT = "response.output_text"
_EVENTS = "for event in stream"


async def sdk_answer(facts: Facts) -> SdkAnswer:
    """Raises ``Unavailable`` where the SDK has nothing to add, or may not be tried."""
    require_network(facts)
    connection = facts.connection
    reply = await _require_reason(facts)
    key = key_of(facts)
    if not key or connection.base_url.value == "":
        # The SDK would take its own environment's key or base URL in their place.
        raise Unavailable(_("without a key or a base URL the SDK takes those of its environment"))
    way: Way | None = None
    refusal: str | None = None
    try:
        way = await way_of(facts)
        require_consent(facts, way.endpoint.host)
    except Blocked as blocked:
        if blocked.fault is TransportFault.PROXY_SETTING:
            refusal = str(blocked)
    module = await asyncio.to_thread(importlib.import_module, "openai")
    if refusal is not None:
        # Its HTTP library refuses the proxy settings before there is a client at all.
        told = visible(facts.run.redactor(refusal), 1_000)
        return SdkAnswer(_name(module), _error_of_settings(refusal), told, line="OpenAI()")
    model = reply.exchange.request_model or (
        "" if connection.model is None else connection.model.value
    )
    plan = Plan.of(connection, model)
    route = None if way is None else (way.proxy, way.trust)
    what = ("sdk", _line(connection), connection.base_url.value, key, plan, route)
    return await facts.once(what, lambda: _ask(facts, module, way, key, plan))


async def _require_reason(facts: Facts) -> Reply:
    options = facts.run.options
    if options.no_spend:
        raise Unavailable("--no-spend")
    if facts.connection.protocol not in _SPOKEN:
        raise Unavailable(_("the openai SDK does not speak this protocol"))
    if options.connect_to:
        raise Unavailable(_("the SDK does not know --connect-to"))
    reply = await facts.get(COMPLETION)
    if answered(reply.outcome) and not options.sdk:
        raise Unavailable(_("the raw request is answered"))
    exchange = reply.exchange
    never_ends = not exchange.complete and exchange.ms_total >= 1_000 * options.timeout
    if exchange.fault in _WAITED or never_ends:
        raise Unavailable(_("it would only wait once more"))
    if reply.exchange.redirect is not None:
        raise Unavailable(_("the SDK would follow the redirect with the key"))
    if os.environ.get(_HEADERS):
        raise Unavailable(_("the SDK would send the headers of {name}", name=_HEADERS))
    return reply


async def _ask(facts: Facts, module: Any, way: Way | None, key: str, plan: Plan) -> SdkAnswer:
    connection = facts.connection
    started = time.perf_counter()
    line = "OpenAI()"
    phases = _phases(way)
    try:
        client = await _client(facts, module, way, key, phases)
        async with client:
            line = _line(connection)
            async with asyncio.timeout(facts.run.options.timeout):
                told = await _use(client, connection, plan)
    except Exception as error:  # whatever it raises is what its user sees
        return _raised(facts, module, error, line, started)
    finally:
        # What never left costs nothing.
        if phases.sent:
            facts.run.meter.billable(plan.max_tokens)
    ms = round((time.perf_counter() - started) * 1000)
    if told is not None:
        return SdkAnswer(_name(module), "no chunk", told, ms=ms, line=_EVENTS)
    return SdkAnswer(_name(module), None, ms=ms, line=line)


def _phases(way: Way | None) -> Phases:
    proxied = way is not None and way.proxy is not None
    secure = way is not None and way.endpoint.scheme == "https"
    return Phases(proxied=proxied, tunnelled=proxied and secure)


async def _client(
    facts: Facts, module: Any, way: Way | None, key: str, phases: Phases
) -> openai.AsyncOpenAI:
    async def listen(request: Any) -> None:
        request.extensions["trace"] = phases

    settings: dict[str, Any] = {"trust_env": False, "timeout": facts.run.options.timeout}
    settings["event_hooks"] = {"request": [listen]}
    if way is not None:
        settings["proxy"] = way.proxy
        settings["verify"] = await asyncio.to_thread(build_context, way.trust)
    variables = facts.run.environment.variables
    client: openai.AsyncOpenAI = module.AsyncOpenAI(
        api_key=key,
        base_url=facts.connection.base_url.value,
        organization=variables.get("OPENAI_ORG_ID"),
        project=variables.get("OPENAI_PROJECT_ID"),
        max_retries=0,
        timeout=facts.run.options.timeout,
        http_client=module.DefaultAsyncHttpxClient(follow_redirects=False, **settings),
    )
    return client


async def _use(client: Any, connection: Connection, plan: Plan) -> str | None:
    """What users write. The text says what came where there was neither chunk nor error."""
    budget = {plan.budget: plan.max_tokens}
    if connection.protocol is Protocol.OPENAI_RESPONSES:
        answer = await client.responses.create(
            model=plan.model, input=QUESTION, stream=plan.stream, **budget
        )
        if plan.stream:
            return await _events(answer, plan)
        _read(answer.output_text)
        return None
    answer = await client.chat.completions.create(
        model=plan.model,
        messages=[{"role": "user", "content": QUESTION}],
        stream=plan.stream,
        **budget,
    )
    if plan.stream:
        return await _chunks(answer, plan)
    _read(answer.choices[0].message.content)
    return None


def _read(value: Any) -> None:
    """Getting at the value is what may raise."""


async def _chunks(stream: Any, plan: Plan) -> str | None:
    count = 0
    async for chunk in stream:
        count += 1
        said = chunk.choices[0].delta.content
        if plan.cancel and said:
            await stream.close()
            return None
    return None if count else _nothing(stream)


async def _events(stream: Any, plan: Plan) -> str | None:
    count = 0
    async for event in stream:
        count += 1
        if plan.cancel and event.type.endswith(".delta"):
            await stream.close()
            return None
    return None if count else _nothing(stream)


def _nothing(stream: Any) -> str:
    response = stream.response
    kind = response.headers.get("content-type", "").split(";")[0]
    page = " (a web page)" if is_html("", kind) else ""
    return f"no chunk and no error: {response.status_code}, {kind or 'no content type'}{page}"


def _line(connection: Connection) -> str:
    if connection.protocol is Protocol.OPENAI_RESPONSES:
        return _EVENTS if connection.stream else _OUTPUT
    return _CHUNK if connection.stream else _WHOLE


def _raised(facts: Facts, module: Any, error: Exception, line: str, started: float) -> SdkAnswer:
    redact = facts.run.redactor
    causes = list(chain_of(error))
    innermost = causes[-1]
    cause = "" if innermost is error else f"{type(innermost).__name__}: {innermost}"
    return SdkAnswer(
        sdk=_name(module),
        error=type(error).__name__,
        message=visible(redact(str(error)), 1_000),
        cause=visible(redact(cause), 1_000),
        ms=round((time.perf_counter() - started) * 1000),
        line=line,
    )


def _name(module: Any) -> str:
    return f"openai {module.__version__}"


def _error_of_settings(text: str) -> str:
    """The class with which httpx and httpx2 refuse proxy settings (§2.5)."""
    if "socksio" in text:
        return "ImportError"
    return "InvalidURL" if text.startswith("Invalid port") else "ValueError"

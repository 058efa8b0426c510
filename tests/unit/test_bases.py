"""Which base a client needs, and what makes the given one another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor import bases
from doctor.bases import ANTHROPIC, OPENAI, Convention, Fault
from doctor.clients import profile
from doctor.connection import Protocol
from doctor.settings.providers import provider_for_host
from doctor.urls import Base, keeps_destination, read

HOST = "https://gateway.example"
RESPONSES = Convention(Protocol.OPENAI_RESPONSES, ("responses",))
# opencode and newer Cline: Anthropic's protocol with the version in the base.
VERSIONED_ANTHROPIC = Convention(Protocol.ANTHROPIC_MESSAGES, ("messages",))
# Cherry Studio: OpenAI's protocol, the version is the client's.
HOST_ONLY = Convention(Protocol.OPENAI_CHAT, ("v1", "chat", "completions"))
# claude-code-router 1 and 2: nothing is appended.
WHOLE_ADDRESS = Convention(Protocol.OPENAI_CHAT, ())

CONVENTIONS = st.sampled_from(
    [OPENAI, ANTHROPIC, RESPONSES, VERSIONED_ANTHROPIC, HOST_ONLY, WHOLE_ADDRESS]
)
SEGMENTS = st.lists(
    st.sampled_from(
        [
            "v1",
            "v4",
            "api",
            "openai",
            "anthropic",
            "console",
            "chat",
            "completions",
            "messages",
            "models",
            "paas",
            "compatible-mode",
            "v1beta",
            "responses",
            "proxy",
        ]
    ),
    max_size=5,
).map(tuple)
SERVERS = st.sampled_from(
    [
        Base("https", "gateway.example"),
        Base("http", "127.0.0.1", 8000),
        Base("http", "localhost", 1234),
        Base("https", "taotoken.net"),
        Base("https", "api.z.ai"),
    ]
)


def base(text: str) -> Base:
    found = read(text).base
    assert found is not None
    return found


def test_the_convention_of_a_client_is_what_its_profile_appends() -> None:
    assert Convention.of(profile("openai-sdk"), Protocol.OPENAI_CHAT) == OPENAI
    assert Convention.of(profile("anthropic-sdk"), Protocol.ANTHROPIC_MESSAGES) == ANTHROPIC
    assert ANTHROPIC.adds_version
    assert not OPENAI.adds_version


@given(SERVERS, SEGMENTS, CONVENTIONS)
def test_no_candidate_leaves_the_server(
    server: Base, segments: tuple[str, ...], convention: Convention
) -> None:
    given_base = server.at(*segments)
    own = bases.certain(given_base, convention)
    provider = provider_for_host(server.host)
    listed = None if provider is None else bases.known(given_base, convention, provider)
    for candidate in (own, listed, *bases.guesses(given_base, convention)):
        if candidate is not None:
            assert keeps_destination(given_base.url, candidate.base)
            assert candidate.base != given_base.url


@given(SERVERS, SEGMENTS, CONVENTIONS)
def test_what_shows_in_the_text_is_gone_after_a_few_repairs(
    server: Base, segments: tuple[str, ...], convention: Convention
) -> None:
    current = server.at(*segments)
    for _step in range(len(segments) + 1):
        candidate = bases.certain(current, convention)
        if candidate is None:
            break
        current = base(candidate.base)
    assert bases.certain(current, convention) is None


@given(SERVERS, SEGMENTS, CONVENTIONS)
def test_guesses_are_few_and_differ(
    server: Base, segments: tuple[str, ...], convention: Convention
) -> None:
    found = [candidate.base for candidate in bases.guesses(server.at(*segments), convention)]
    assert len(found) == len(set(found))
    assert len(found) <= 5


@pytest.mark.parametrize(
    ("given_path", "convention", "fault", "right_path"),
    [
        ("/v1/chat/completions", OPENAI, Fault.ENDPOINT, "/v1"),
        ("/v1/completions", OPENAI, Fault.ENDPOINT, "/v1"),
        ("/chat/completions", OPENAI, Fault.ENDPOINT, ""),
        ("/v1/models", OPENAI, Fault.ENDPOINT, "/v1"),
        ("/api/v1/messages", OPENAI, Fault.ENDPOINT, "/api/v1"),
        ("/api/v1/messages", ANTHROPIC, Fault.ENDPOINT, "/api"),
        ("/api/v1/chat/completions", ANTHROPIC, Fault.ENDPOINT, "/api"),
        ("/v1/messages?beta=true", ANTHROPIC, Fault.ENDPOINT, ""),
        ("/v1/chat/completions", HOST_ONLY, Fault.ENDPOINT, ""),
        ("/v1/v1", OPENAI, Fault.DOUBLED, "/v1"),
        ("/api/v1/api/v1", OPENAI, Fault.DOUBLED, "/api/v1"),
        ("/v1/v1", ANTHROPIC, Fault.DOUBLED, ""),
        ("/v1", ANTHROPIC, Fault.OTHER_CLIENT, ""),
        ("/api/v1", ANTHROPIC, Fault.OTHER_CLIENT, "/api"),
        ("/v1", HOST_ONLY, Fault.DOUBLED, ""),
        ("/v1?utm_source=blog", OPENAI, Fault.QUERY, "/v1"),
        ("/v1/chat/completions?utm_source=blog", OPENAI, Fault.QUERY, "/v1/chat/completions"),
        ("/v1#top", OPENAI, Fault.QUERY, "/v1"),
    ],
)
def test_faults_that_show_in_the_text(
    given_path: str, convention: Convention, fault: Fault, right_path: str
) -> None:
    candidate = bases.certain(base(HOST + given_path), convention)
    assert candidate is not None
    assert (candidate.fault, candidate.base) == (fault, HOST + right_path)


@pytest.mark.parametrize(
    ("path", "convention"),
    [
        ("/v1", OPENAI),
        ("", ANTHROPIC),
        ("/api/paas/v4", OPENAI),
        ("/v1beta/openai", OPENAI),
        ("/v1", VERSIONED_ANTHROPIC),
        ("/models", OPENAI),
        ("/chat", OPENAI),
        ("/v1/chat/completions", WHOLE_ADDRESS),
        ("/v4/v1", OPENAI),
    ],
)
def test_what_may_be_right_somewhere_shows_no_fault(path: str, convention: Convention) -> None:
    assert bases.certain(base(HOST + path), convention) is None


@pytest.mark.parametrize(
    ("given_base", "convention", "fault", "right"),
    [
        ("https://api.openai.com", OPENAI, Fault.WITHOUT_VERSION, "https://api.openai.com/v1"),
        ("https://taotoken.net", OPENAI, Fault.WITHOUT_PREFIX, "https://taotoken.net/api/v1"),
        ("https://taotoken.net/v1", OPENAI, Fault.WITHOUT_PREFIX, "https://taotoken.net/api/v1"),
        ("https://taotoken.net/api", OPENAI, Fault.OTHER_CLIENT, "https://taotoken.net/api/v1"),
        ("https://taotoken.net", ANTHROPIC, Fault.WITHOUT_PREFIX, "https://taotoken.net/api"),
        ("https://taotoken.net/v1", ANTHROPIC, Fault.OTHER_CLIENT, "https://taotoken.net/api"),
        ("https://taotoken.net/api/v1", ANTHROPIC, Fault.OTHER_CLIENT, "https://taotoken.net/api"),
        ("https://taotoken.net/console", OPENAI, Fault.CONSOLE, "https://taotoken.net/api/v1"),
        (
            "https://taotoken.net/api",
            VERSIONED_ANTHROPIC,
            Fault.OTHER_CLIENT,
            "https://taotoken.net/api/v1",
        ),
        (
            "https://taotoken.net/api/v1",
            WHOLE_ADDRESS,
            Fault.OTHER_CLIENT,
            "https://taotoken.net/api/v1/chat/completions",
        ),
        ("http://taotoken.net/api/v1", OPENAI, Fault.SCHEME, "https://taotoken.net/api/v1"),
        (
            "https://dashscope.aliyuncs.com/api/v1",
            OPENAI,
            Fault.OTHER_PROVIDER,
            "https://dashscope.aliyuncs.com/compatible-mode/v1",
        ),
        (
            "https://api.z.ai/api/paas/v4/v1",
            OPENAI,
            Fault.DOUBLED,
            "https://api.z.ai/api/paas/v4",
        ),
        (
            "https://api.z.ai/api/coding/paas/v4/v1",
            OPENAI,
            Fault.DOUBLED,
            "https://api.z.ai/api/coding/paas/v4",
        ),
        ("https://api.z.ai/v1", OPENAI, Fault.OTHER_PROVIDER, "https://api.z.ai/api/paas/v4"),
        (
            "https://api.deepseek.com/anthropic",
            OPENAI,
            Fault.OTHER_CLIENT,
            "https://api.deepseek.com",
        ),
        (
            "https://api.deepseek.com",
            ANTHROPIC,
            Fault.WITHOUT_PREFIX,
            "https://api.deepseek.com/anthropic",
        ),
    ],
)
def test_known_providers(given_base: str, convention: Convention, fault: Fault, right: str) -> None:
    wrong = base(given_base)
    provider = provider_for_host(wrong.host)
    assert provider is not None
    candidate = bases.known(wrong, convention, provider)
    assert candidate is not None
    assert (candidate.fault, candidate.base) == (fault, right)


@pytest.mark.parametrize(
    ("right", "convention"),
    [
        ("https://api.openai.com/v1", OPENAI),
        ("https://api.deepseek.com", OPENAI),
        ("https://api.deepseek.com/v1", OPENAI),
        ("https://api.z.ai/api/coding/paas/v4", OPENAI),
        ("https://taotoken.net/api", ANTHROPIC),
        ("https://taotoken.net/api/v1", VERSIONED_ANTHROPIC),
        ("https://api.openai.com", HOST_ONLY),
        ("https://api.openai.com:8443", OPENAI),
    ],
)
def test_a_right_base_of_a_known_provider_has_no_fault(right: str, convention: Convention) -> None:
    known = base(right)
    provider = provider_for_host(known.host)
    assert provider is not None
    assert bases.known(known, convention, provider) is None


@pytest.mark.parametrize(
    ("path", "convention", "expected"),
    [
        ("", OPENAI, [(Fault.WITHOUT_VERSION, "/v1"), (Fault.WITHOUT_PREFIX, "/api/v1")]),
        ("", ANTHROPIC, [(Fault.WITHOUT_PREFIX, "/api"), (Fault.WITHOUT_PREFIX, "/anthropic")]),
        ("/v1", OPENAI, [(Fault.WITHOUT_PREFIX, "/api/v1"), (Fault.NOT_SERVED_VERSION, "")]),
        ("/console", OPENAI, [(Fault.CONSOLE, "/v1"), (Fault.CONSOLE, "/api/v1")]),
        ("/anthropic", OPENAI, [(Fault.OTHER_CLIENT, "/v1")]),
        ("/v4", OPENAI, [(Fault.OTHER_PROVIDER, "/v1")]),
        ("/compatible-mode/v1", OPENAI, [(Fault.OTHER_PROVIDER, "/v1")]),
        ("/v4/v1", OPENAI, [(Fault.DOUBLED, "/v4"), (Fault.DOUBLED, "/v1")]),
        ("", WHOLE_ADDRESS, [(Fault.OTHER_CLIENT, "/v1/chat/completions")]),
    ],
)
def test_guesses_for_an_unknown_server_begin_with_the_likeliest(
    path: str, convention: Convention, expected: list[tuple[Fault, str]]
) -> None:
    found = bases.guesses(base(HOST + path), convention)
    begin = [(one.fault, one.base.removeprefix(HOST)) for one in found[: len(expected)]]
    assert begin == expected


def test_a_product_below_v1_is_not_asked_without_it() -> None:
    found = bases.guesses(base(HOST + "/v1"), OPENAI, serves_v1=True)
    assert [one.fault for one in found] == [Fault.WITHOUT_PREFIX]


@pytest.mark.parametrize(
    ("given_base", "of", "to", "theirs"),
    [
        (HOST + "/api/v1", OPENAI, ANTHROPIC, HOST + "/api"),
        (HOST + "/api", ANTHROPIC, OPENAI, HOST + "/api/v1"),
        (HOST + "/api/v1", OPENAI, VERSIONED_ANTHROPIC, HOST + "/api/v1"),
        (HOST + "/v1", OPENAI, HOST_ONLY, HOST),
        (HOST + "/v1", OPENAI, WHOLE_ADDRESS, HOST + "/v1/chat/completions"),
        (HOST + "/api/paas/v4", OPENAI, ANTHROPIC, None),
    ],
)
def test_the_base_of_another_client_for_the_same_place(
    given_base: str, of: Convention, to: Convention, theirs: str | None
) -> None:
    assert bases.base_for(given_base, of, to) == theirs


@pytest.mark.parametrize(
    ("query", "tracking"),
    [
        ("utm_source=blog&utm_medium=csdn", True),
        ("gclid=1", True),
        ("api-version=2024-10-21", False),
        ("utm_source=blog&key=x", False),
        ("", True),
    ],
)
def test_parameters_of_links(query: str, tracking: bool) -> None:
    assert bases.tracks(query) is tracking

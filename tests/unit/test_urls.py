"""Reading base URLs: whatever copying did to them, the server stays the one that is written."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from doctor.urls import (
    Base,
    Defect,
    canonical,
    is_local,
    is_loopback,
    keeps_destination,
    query_names,
    read,
    shown,
)

LABEL = st.from_regex(r"[a-z0-9]([a-z0-9\-]{0,8}[a-z0-9])?", fullmatch=True)
PUBLIC = st.builds(lambda name, end: f"{name}.{end}", LABEL, st.sampled_from(["example", "net"]))
ADDRESS = st.one_of(
    st.ip_addresses(v=4).map(str),
    st.sampled_from(["localhost", "127.0.0.1", "[::1]", "[2001:db8::7]", "vllm", "10.1.2.3"]),
)
HOST = st.one_of(PUBLIC, ADDRESS).filter(lambda host: host not in ("ip", "hostname", "your"))
PORT = st.one_of(st.none(), st.integers(1, 65_535))
SEGMENT = st.from_regex(r"[A-Za-z0-9\-_.~]{1,6}", fullmatch=True).filter(lambda s: s[-1] != ".")
PATH = st.lists(SEGMENT, max_size=4).map(lambda parts: "".join(f"/{part}" for part in parts))
AROUND = st.text(st.sampled_from(" \t\r\n\u3000\ufeff\u200b\u00a0\"'“”`"), max_size=4)


@st.composite
def clean_urls(draw: st.DrawFn) -> str:
    port = draw(PORT)
    scheme, host, path = draw(st.sampled_from(["http", "https"])), draw(HOST), draw(PATH)
    return f"{scheme}://{host}{'' if port is None else f':{port}'}{path}"


def full_width(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if 0x21 <= ord(c) <= 0x7E else c for c in text)


def server(text: str) -> tuple[str, str, int]:
    base = read(text).base
    assert base is not None
    return base.origin


@given(clean_urls())
def test_a_clean_url_is_read_as_it_stands(url: str) -> None:
    reading = read(url)
    assert reading.clean
    assert reading.base is not None
    assert reading.base.text.replace(":443", "").replace(":80", "") == url.replace(
        ":443", ""
    ).replace(":80", "")


@given(clean_urls(), AROUND, AROUND)
def test_what_stands_around_a_url_changes_neither_its_server_nor_its_path(
    url: str, before: str, after: str
) -> None:
    assert read(before + url + after).base == read(url).base


@given(clean_urls())
def test_a_url_in_full_width_is_the_same_url(url: str) -> None:
    reading = read(full_width(url))
    assert reading.base == read(url).base
    assert Defect.FULL_WIDTH in reading.defects


@given(clean_urls(), st.integers(1, 3))
def test_a_scheme_with_too_few_or_too_many_slashes_names_the_same_server(
    url: str, slashes: int
) -> None:
    assert server(url.replace("://", ":" + "/" * slashes, 1)) == server(url)


@given(clean_urls())
def test_backslashes_name_the_same_server_and_path(url: str) -> None:
    assert read(url.replace("/", "\\")).base == read(url).base


@given(PUBLIC, PORT, PATH)
def test_a_public_host_without_scheme_is_read_as_https(
    host: str, port: int | None, path: str
) -> None:
    text = f"{host}{'' if port is None else f':{port}'}{path}"
    reading = read(text)
    assert reading.base is not None
    assert (reading.base.scheme, reading.base.host) == ("https", host)
    assert reading.base.origin[2] == (port or 443)
    assert reading.defects == (Defect.SCHEME_MISSING,)


@given(st.text(max_size=60))
def test_reading_never_raises_and_its_repair_is_stable(text: str) -> None:
    base = read(text).base
    if base is not None:
        again = read(base.text)
        assert again.base == base
        assert again.clean


@given(st.text(st.sampled_from('htps:/\\.#?@[]%：／ “"x1'), max_size=24))
def test_url_like_rubbish_is_repaired_stably_too(text: str) -> None:
    base = read(text).base
    if base is not None:
        assert read(base.text).base == base


@given(clean_urls())
def test_the_canonical_form_is_its_own_canonical_form(url: str) -> None:
    once = canonical(url)
    assert once is not None
    assert canonical(once) == once


@given(clean_urls(), AROUND)
def test_no_repair_takes_https_down_to_http(url: str, around: str) -> None:
    assume(url.startswith("https://"))
    assert server(around + url)[0] == "https"
    assert server(url.replace("https://", "http://https://", 1))[0] == "https"
    assert server(url.replace("https", "htps", 1))[0] == "https"


@given(clean_urls(), clean_urls())
def test_a_key_keeps_its_destination_only_on_the_same_server(one: str, other: str) -> None:
    if not keeps_destination(one, other):
        return
    before, after = server(one), server(other)
    assert before[1] == after[1] or (is_loopback(before[1]) and is_loopback(after[1]))
    assert (before[0], after[0]) != ("https", "http")
    assert before[2] == after[2] or (before[0], after[0]) == ("http", "https")


@given(clean_urls())
def test_another_path_keeps_the_destination(url: str) -> None:
    base = read(url).base
    assert base is not None
    assert keeps_destination(url, base.at("api", "v1").url)


@pytest.mark.parametrize(
    ("old", "new", "plain_proved", "kept"),
    [
        ("http://gateway.example/v1", "https://gateway.example/v1", False, True),
        ("https://gateway.example/v1", "http://gateway.example/v1", False, False),
        ("https://127.0.0.1:9090/v1", "http://127.0.0.1:9090/v1", True, True),
        ("https://127.0.0.1:9090/v1", "http://127.0.0.1:9091/v1", True, False),
        ("http://localhost:8000/v1", "http://127.0.0.1:8000/v1", False, True),
        ("http://localhost:8000/v1", "http://[::1]:8000/v1", False, True),
        ("http://localhost:8000/v1", "http://host.docker.internal:8000/v1", False, False),
        ("https://gateway.example/v1", "https://gateway.example.net/v1", False, False),
        ("https://gateway.example:8443/v1", "https://gateway.example/v1", False, False),
        ("http://gateway.example:8080/v1", "https://gateway.example:8443/v1", False, False),
        ("gateway.example/v1", "https://gateway.example/v1", False, True),
        ("gateway.example/v1", "http://gateway.example/v1", False, False),
        ("10.0.0.5:8000/v1", "http://10.0.0.5:8000/v1", False, True),
    ],
)
def test_where_a_key_may_go(old: str, new: str, plain_proved: bool, kept: bool) -> None:
    assert keeps_destination(old, new, plain_proved=plain_proved) is kept


@pytest.mark.parametrize(
    ("text", "repaired", "defects"),
    [
        ("https：//gateway.example／v1", "https://gateway.example/v1", {Defect.FULL_WIDTH}),
        ("“https://gateway.example/v1”", "https://gateway.example/v1", {Defect.QUOTES}),
        ("https://gateway.example/v1 \n", "https://gateway.example/v1", {Defect.BLANK}),
        ("https://gateway.example/v1%20", "https://gateway.example/v1", {Defect.BLANK}),
        ("https:// gateway.example/v1", "https://gateway.example/v1", {Defect.BLANK}),
        ("\ufeffhttps://gateway.example/v1", "https://gateway.example/v1", {Defect.INVISIBLE}),
        ("https//gateway.example/v1", "https://gateway.example/v1", {Defect.SCHEME_MISSPELT}),
        ("htps://gateway.example/v1", "https://gateway.example/v1", {Defect.SCHEME_MISSPELT}),
        ("//gateway.example/v1", "https://gateway.example/v1", {Defect.SCHEME_MISSING}),
        ("localhost:8000/v1", "http://localhost:8000/v1", {Defect.SCHEME_MISSING}),
        ("vllm:8000", "http://vllm:8000", {Defect.SCHEME_MISSING}),
        (
            "https://https://gateway.example/v1",
            "https://gateway.example/v1",
            {Defect.SCHEME_DOUBLED},
        ),
        (
            "https://gateway.example//api/v1",
            "https://gateway.example/api/v1",
            {Defect.EMPTY_SEGMENT},
        ),
        ("https://gateway.example/v1;", "https://gateway.example/v1", {Defect.TRAILING_JUNK}),
        (
            "https://gateway.example/v1，记得带 v1",
            "https://gateway.example/v1",
            {Defect.FULL_WIDTH, Defect.BLANK, Defect.TRAILING_JUNK},
        ),
        (
            "export OPENAI_BASE_URL=https://gateway.example/v1",
            "https://gateway.example/v1",
            {Defect.LEADING_JUNK},
        ),
        ("https://gateway.example/v1 # mine", "https://gateway.example/v1", {Defect.COMMENT}),
        (
            "<https://gateway.example/v1>",
            "https://gateway.example/v1",
            {Defect.LEADING_JUNK, Defect.TRAILING_JUNK},
        ),
        (
            "use https://gateway.example/v1",
            "https://gateway.example/v1",
            {Defect.LEADING_JUNK},
        ),
        (
            "https://gateway.example/v1, https://other.example/v1",
            "https://gateway.example/v1",
            {Defect.TRAILING_JUNK},
        ),
        (r"https:\\gateway.example\api", "https://gateway.example/api", {Defect.BACKSLASH}),
    ],
)
def test_repairs(text: str, repaired: str, defects: set[Defect]) -> None:
    reading = read(text)
    assert reading.base is not None
    assert reading.base.text == repaired
    assert set(reading.defects) == defects


@pytest.mark.parametrize(
    ("text", "defect"),
    [
        ("", Defect.EMPTY),
        (" \n", Defect.EMPTY),
        ("https://", Defect.HOST),
        ("https://gate way.example/v1", Defect.SPLIT_HOST),
        ("gateway.example https://other.example/v1", Defect.SPLIT_HOST),
        ("https://gateway.example:99999/v1", Defect.PORT),
        ("https://gateway.example:8o00/v1", Defect.PORT),
        ("https://gateway..example/v1", Defect.HOST),
        ("http://::1:8000/v1", Defect.HOST),
        ("https://${GATEWAY}/v1", Defect.PLACEHOLDER),
        ("http://your-vllm-host:8000/v1", Defect.PLACEHOLDER),
        ("http://<host>:8000/v1", Defect.PLACEHOLDER),
        ("http://HOST:1234/v1", Defect.PLACEHOLDER),
        ("ftp://gateway.example/v1", Defect.SCHEME_OTHER),
        ("h" * 100_000, Defect.TRAILING_JUNK),
    ],
)
def test_where_no_server_is_named_there_is_no_repair(text: str, defect: Defect) -> None:
    reading = read(text)
    assert reading.base is None
    assert defect in reading.defects


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://Gateway.Example/v1/", "https://gateway.example:443/v1"),
        ("https://gateway.example/v1?utm_source=x", "https://gateway.example/v1"),
        ("http://[::1]:80/v1", "http://[::1]/v1"),
    ],
)
def test_spellings_of_one_base_compare_equal(one: str, other: str) -> None:
    assert canonical(one) == canonical(other)


def test_another_scheme_keeps_the_port_that_is_dialled() -> None:
    base = read("https://localhost/v1").base
    assert base is not None
    assert base.with_scheme("http").url == "http://localhost:443/v1"
    assert base.with_scheme("http").with_scheme("https").url == "https://localhost/v1"


def test_what_is_shown_holds_no_password_and_no_value_of_a_query() -> None:
    text = shown("https://me:secret-word@gateway.example/v1?key=sk-made-up&utm_source=blog#x\n")
    assert text == "https://…@gateway.example/v1?key=…&utm_source=…#x⏎"


@given(st.text(max_size=80))
def test_what_is_shown_fits_on_one_line(text: str) -> None:
    assert "\n" not in shown(text)
    assert "\x1b" not in shown(text)


def test_names_of_a_query_are_decoded_and_told_once() -> None:
    assert query_names("utm_source=a&utm%5Fmedium=b&utm_source=c&flag") == (
        "utm_source",
        "utm_medium",
        "flag",
    )


@pytest.mark.parametrize(
    "host", ["localhost", "api.localhost", "127.0.0.1", "127.1.2.3", "::1", "0.0.0.0"]
)
def test_this_machine(host: str) -> None:
    assert is_loopback(host)
    assert is_local(host)


@pytest.mark.parametrize(
    "host",
    ["10.0.0.5", "192.168.1.4", "fd00::7", "fe80::1%eth0", "vllm", "gpu.local", "a.internal"],
)
def test_private_networks(host: str) -> None:
    assert not is_loopback(host)
    assert is_local(host)


@pytest.mark.parametrize(
    "host",
    ["gateway.example", "8.8.8.8", "203.0.113.9", "2001:db8::7", "taotoken.net", "local.example"],
)
def test_public_hosts(host: str) -> None:
    assert not is_local(host)


def test_an_address_of_version_six_keeps_its_brackets() -> None:
    base = read("http://[2001:DB8::1]:8000/v1").base
    assert base == Base("http", "2001:db8::1", 8000, ("v1",))
    assert base.url == "http://[2001:db8::1]:8000/v1"

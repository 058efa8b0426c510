"""Settings that stand in a pasted text are judged as this machine's would be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.explain.answer import answer
from doctor.explain.pasted.stated import stated_in
from doctor.explain.rank import Ranked, rank

KEY = "sk-made0up0made0up0made0up0made0up"
BASE = "https://relay.example.com"
REFUSED = "openai.AuthenticationError: Error code: 401 - Unauthorized"
NO_PATH = "openai.NotFoundError: 404 page not found"


def ranked(text: str) -> tuple[Ranked, ...]:
    told = answer(text.encode().splitlines(keepends=True), {})
    return rank(told.seen, told.here)


def first(text: str) -> str:
    causes = ranked(text)
    return causes[0].cause.code if causes else "nothing"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f'OPENAI_API_KEY="Bearer {KEY}"\n{REFUSED}', "KVD105"),
        (f"client = OpenAI(\n    api_key=' {KEY}',\n)\n{REFUSED}", "KVD102"),
        (f'OpenAI(api_key="{KEY}\\n")\n{REFUSED}', "KVD102"),
        (f"-e OPENAI_API_KEY='\"{KEY}\"'\n{REFUSED}", "KVD103"),
        (f"OPENAI_API_KEY=“{KEY}”\n{REFUSED}", "KVD103"),
        (f"new OpenAI({{ apiKey: 'Bearer {KEY}', baseURL: '{BASE}/v1' }})\n{REFUSED}", "KVD105"),
        (f"setx ANTHROPIC_BASE_URL {BASE}/v1\nHTTP 404 Not Found", "KVD209"),
        (f'{{"env": {{"ANTHROPIC_BASE_URL": "{BASE}/v1"}}}}\nHTTP 404 Not Found', "KVD209"),
        (f'base_url="{BASE}/v1/chat/completions"\n{NO_PATH}', "KVD204"),
        (f"OPENAI_BASE_URL={BASE}\n{NO_PATH}", "KVD201"),
        (f"OPENAI_BASE_URL={BASE}/v1\n{NO_PATH}", "KVD202"),
        ("export https_proxy=https://127.0.0.1:7890\nhttpx.ConnectError: [Errno 111] Connection"
         " refused", "KVD304"),
        (f'export OPENAI_API_KEY="{KEY} "', "KVD102"),
    ],
)  # fmt: skip
def test_a_stated_fault_comes_first(text: str, code: str) -> None:
    assert first(text) == code


def test_the_line_is_named_and_the_key_is_not() -> None:
    cause = ranked(f'Hello,\nOPENAI_API_KEY="Bearer {KEY}"\n{REFUSED}')[0]

    assert cause.cause.tell_apart == "line 2 of the text states it"
    assert KEY not in cause.text


@pytest.mark.parametrize(
    "text",
    [
        f"export OPENAI_API_KEY={KEY}\nexport OPENAI_BASE_URL={BASE}/v1/",
        f"ANTHROPIC_BASE_URL={BASE}\nANTHROPIC_AUTH_TOKEN={KEY}",
        "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx",
        "OPENAI_API_KEY=“sk-…”",
        'client = OpenAI(api_key="your api key", base_url="<the address>")',
        f'OpenAI(api_key=os.environ["KEY"], base_url="{BASE}/v1")',
        f"AZURE_OPENAI_BASE_URL={BASE}/v1/chat/completions",
        # Tried with and without: which of them failed is not told.
        f'OPENAI_API_KEY="{KEY} "\nOPENAI_API_KEY="{KEY}"',
    ],
)
def test_what_is_right_masked_or_of_others_means_nothing(text: str) -> None:
    assert first(text) == "nothing"


def test_masked_settings_leave_the_causes_of_a_refusal() -> None:
    masked = ranked(f"OPENAI_API_KEY='sk-…'\nOPENAI_BASE_URL={BASE}/v1/\n{REFUSED}")

    assert masked[0].cause == ranked(REFUSED)[0].cause


def test_a_fault_of_another_area_is_not_what_the_error_speaks_of() -> None:
    assert first(f'OPENAI_API_KEY="{KEY} "\nError 402: insufficient balance') == "KVD115"


FORMS = (
    "export {name}='{value}'",
    '{name}="{value}"',
    '$env:{name} = "{value}"',
    "setx {name} '{value}'",
    '  "{name}": "{value}",',
    "      - {name}={value}",
    "      {name}: {value}  # a comment",
    "docker run -e {name}={value} made/up:1",
)


@given(
    form=st.sampled_from(FORMS),
    name=st.sampled_from(["OPENAI_API_KEY", "ANTHROPIC_AUTH_TOKEN", "MY_LLM_API_KEY"]),
    rest=st.text("abcefg0123456789-_+/", min_size=1, max_size=40),
    before=st.lists(st.text("abc :\n", max_size=20), max_size=3),
)
def test_a_value_is_read_as_it_was_written(
    form: str, name: str, rest: str, before: list[str]
) -> None:
    lines = [*before, form.format(name=name, value=f"sk-0123456789abcdef{rest}")]
    (one,) = stated_in(lines)
    assert (one.name, one.value, one.line) == (name, f"sk-0123456789abcdef{rest}", len(lines))


@given(st.lists(st.text(max_size=60), max_size=5))
def test_any_text_is_answered(lines: list[str]) -> None:
    text = "\n".join((*lines, REFUSED, *lines))
    assert "KVD111" in {one.cause.code for one in ranked(text)}

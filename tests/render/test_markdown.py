"""Markdown: complete for a reader, and no text of others becomes markup."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from doctor.render import markup
from tests.kit import KEY

from .sample import broken_report, healthy_report, with_text, written

HOSTILE = (
    "![x](http://evil.example/a.png) [y](javascript:alert(1)) <img src=x onerror=alert(1)>",
    "<script>alert(1)</script> </code></pre> &lt;b&gt; <!-- -->",
    "# heading\n## another\n---\n===\n- list\n1. item\n> quote\n    code\n```\nfence\n~~~",
    "| a | b |\n|---|---|\n\\| c",
    "http://evil.example/ www.evil.example mail@evil.example @somebody #12 org/repo#3",
    "``` ` `` \\` $x$ *b* _i_ ~~s~~ [ref] [ref]: http://evil.example",
    "`` ` a|b ` ``|`|`",
    "http://a.example/`[x](http://evil.example)`",
)


def rendered(text: str) -> str:
    """As a viewer with tables and the linking of bare addresses shows it."""
    html: str = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    return html


def kinds(text: str) -> set[str]:
    found: set[str] = set()
    for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse(text):
        found.add(token.type)
        found |= {child.type for child in token.children or ()}
    return found


def test_a_report_holds_what_a_reader_needs() -> None:
    text = written(broken_report(), "markdown")

    assert text.startswith("# kvdoctor check\n")
    assert "### 1. KVD301 The proxy 127.0.0.1:7890 is not running" in text
    assert "error, root cause" in text
    assert "proved by a completion" in text
    assert "| ✗ | proxy |" in text
    assert "```diff" in text
    assert "Not tested: engine metrics" in text
    assert KEY not in text


def test_a_healthy_report_tells_no_finding() -> None:
    text = written(healthy_report(), "markdown")

    assert "###" not in text
    assert "The request answers (200, 401 ms)." in text


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_others_is_no_markup(text: str) -> None:
    document = written(with_text(text), "markdown")

    assert not kinds(document) & {"link_open", "image", "html_block", "html_inline", "hr"}
    tokens = MarkdownIt("commonmark").enable("table").parse(document)
    headings = [token.tag for token in tokens if token.type == "heading_open"]
    shown = [f for f in with_text(text).findings if f.explained_by is None]
    assert headings == ["h1", "h2", *["h3"] * len(shown)]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_viewers_link_by_themselves_is_code(text: str) -> None:
    """Addresses, people and issues stand in code alone, where no viewer looks for them."""
    shown = rendered(markup.text(text.replace("\n", " ")))
    outside = "".join(part.partition("</code>")[2] for part in f"</code>{shown}".split("<code>"))

    for bare in ("http://", "www.evil", "mail@evil", "@somebody", "#12", "repo#3"):
        assert bare not in outside


@given(st.text(alphabet=st.sampled_from("[]()!<>`*_#|\\&~-+=.: \n1a@/h"), max_size=40))
@example(" 1)")
@example("    a")
def test_no_line_of_text_makes_markup(text: str) -> None:
    line = markup.text(text)
    plain = {"paragraph_open", "paragraph_close", "inline", "text", "code_inline", "text_special"}

    assert kinds(line) <= plain
    assert kinds(f"x {line}") <= plain


@given(st.text(alphabet=st.sampled_from("`~ \nab"), max_size=60))
def test_a_block_ends_where_it_should(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(markup.block(text) + "\n\nbehind\n")

    assert [token.type for token in tokens] == [
        "fence",
        "paragraph_open",
        "inline",
        "paragraph_close",
    ]
    assert tokens[2].content == "behind"


@given(st.text(alphabet=st.sampled_from("|`\\ab "), max_size=30))
def test_a_cell_stays_one_cell(text: str) -> None:
    table = f"| a | b |\n|---|---|\n| {markup.cell(text)} | end |"
    tokens = MarkdownIt("commonmark").enable("table").parse(table)
    cells = [
        tokens[number + 1].content for number, token in enumerate(tokens) if token.type == "td_open"
    ]

    assert len(cells) == 2
    assert cells[1] == "end"

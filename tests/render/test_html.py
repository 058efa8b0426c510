"""HTML: one file that runs and loads nothing, and shows text of others as text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from tests.kit import KEY

from .sample import broken_report, healthy_report, with_text, written
from .test_markdown import HOSTILE

OWN = (
    {"html", "head", "meta", "title", "style", "body", "section", "article", "footer", "time"}
    | {"h1", "h2", "h3", "p", "span", "b", "br", "code", "pre", "ol", "ul", "li", "dl", "dt", "dd"}
    | {"details", "summary", "table", "thead", "tbody", "tr", "th", "td"}
)


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.shown = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _value in attrs}
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.shown += data


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_others_is_shown_and_nothing_else(text: str) -> None:
    page = Page(written(with_text(text), "html"))

    assert page.tags <= OWN
    assert not page.wrong
    assert not {name for name in page.attributes if name.startswith("on")}
    assert not page.attributes & {"src", "href", "style", "srcset", "action"}
    assert text.split("\n")[0] in page.shown


def test_the_page_needs_nothing_from_elsewhere() -> None:
    text = written(broken_report(), "html")

    assert "default-src 'none'" in text
    assert "url(" not in text
    assert "@import" not in text
    assert 'name="viewport"' in text
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text


def test_nothing_is_told_by_colour_alone() -> None:
    shown = Page(written(broken_report(), "html")).shown

    assert "✗ proxy" in shown
    assert "error, root cause" in shown
    assert KEY not in shown


def test_a_healthy_page_has_no_finding() -> None:
    page = Page(written(healthy_report(), "html"))

    assert "article" not in page.tags
    assert "✓ The request answers" in page.shown

"""A message is English for machines and remembers what it was made from."""

from __future__ import annotations

from doctor.text import Translator, _


def test_a_message_is_its_english_text() -> None:
    text = _("The base URL lacks {part}", part="/v1")

    assert text == "The base URL lacks /v1"
    assert (text.msgid, text.params) == ("The base URL lacks {part}", {"part": "/v1"})


def test_braces_in_a_message_without_parameters_are_just_braces() -> None:
    assert _('{"error": 1}') == '{"error": 1}'


def test_a_language_without_a_catalogue_reads_english() -> None:
    translate = Translator("xx")

    assert translate(_("With {what} changed", what=_("one thing"))) == "With one thing changed"
    assert translate("plain") == "plain"

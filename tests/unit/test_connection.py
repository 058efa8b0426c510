"""A change gives another connection and keeps what it replaced."""

from __future__ import annotations

from doctor.connection import Change, SettingName
from doctor.secrets import Secret
from doctor.text import _
from tests.kit import KEY, connection


def test_a_change_leaves_the_first_connection_alone_and_remembers_the_old_value() -> None:
    first = connection(key=KEY + "\n")
    change = Change("KVD102", SettingName.KEY, Secret(KEY), _("strip the key"))

    changed = first.with_(change)

    assert first.key is not None
    assert first.key.value == Secret(KEY + "\n")
    assert changed.key is not None
    assert changed.key.value == Secret(KEY)
    assert changed.key.shadows[0].value == Secret(KEY + "\n")
    assert str(changed.key.shadows[0].origin) == "OPENAI_API_KEY, environment"


def test_a_change_of_an_unset_value_shadows_nothing() -> None:
    change = Change("KVD601", SettingName.MAX_TOKENS, 1024, _("lower max_tokens"))

    changed = connection().with_(change)

    assert changed.max_tokens is not None
    assert (changed.max_tokens.value, changed.max_tokens.shadows) == (1024, ())


def test_a_change_of_a_key_is_shown_masked() -> None:
    change = Change("KVD102", SettingName.KEY, Secret(KEY), _("strip the key"))

    assert KEY not in change.shown

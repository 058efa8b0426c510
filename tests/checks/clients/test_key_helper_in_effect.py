"""A command that prints the key, alone and beside other credentials."""

from __future__ import annotations

import dataclasses

from checks.clients.key_helper_in_effect import key_helper_in_effect
from doctor.connection import (
    Setting,
    Unsent,
)
from tests.kit import KEY

from .world import HELPER, claude, found


def test_a_helper_alone_is_sound_and_beside_a_token_it_is_told() -> None:
    alone = claude(unsent=Setting(Unsent.KEY_HELPER, HELPER.origin))
    beside = claude(key=KEY, second_unsent=Setting(Unsent.KEY_HELPER, HELPER.origin))

    assert not found(key_helper_in_effect, alone, HELPER)
    (finding,) = found(key_helper_in_effect, beside, HELPER)
    assert "x-api-key" in finding.explanation


def test_a_managed_helper_names_the_administrator() -> None:
    helper = dataclasses.replace(HELPER, managed=True)
    target = claude("https://api.anthropic.com", unsent=Setting(Unsent.KEY_HELPER, HELPER.origin))

    (finding,) = found(
        key_helper_in_effect, target, helper, variables={"CLAUDE_CODE_OAUTH_TOKEN": KEY}
    )

    assert "administrator" in finding.explanation
    assert KEY not in str(finding)

"""KVD324: handshakes that break off."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.network import TransportFault
from tests.checks.network.world import (
    broken,
    examine,
    one,
    variables,
)

F = TransportFault


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[SSL: TLSV1_UNRECOGNIZED_NAME] tlsv1 unrecognized name", "no host of this name"),
        ("[SSL: TLSV1_ALERT_PROTOCOL_VERSION] alert protocol version", "no TLS version in common"),
        ("[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred", "a filter on the way"),
    ],
)
def test_an_alert_is_put_into_words(text: str, words: str) -> None:
    found = one(examine(variables(), {facts.COMPLETION: broken(F.TLS_OTHER, text)}), "KVD324")
    assert words in found.explanation

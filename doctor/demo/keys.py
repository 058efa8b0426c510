"""Made-up credentials, recognisable as such at a glance."""

from __future__ import annotations

BODY_LENGTH = 48


def demo_key(label: str = "") -> str:
    """``sk-demo0000…label``: the stock shape, 48 characters without ``-`` after ``sk-``.

    Facts: gateway-clients.md 1.4 (new-api GenerateKey), 51 characters in all.
    """
    if not label.isalnum() and label:
        raise ValueError("a label is letters and digits: '-' would split the key")
    return "sk-demo" + "0" * (BODY_LENGTH - len("demo") - len(label)) + label


GOOD = demo_key()
UNKNOWN = demo_key("unknown")
MASTER = "sk-demo-master-0000000000000000000000000000000000"
ENGINE = "sk-demo-engine"

"""Images, sound and films in a prompt: told apart by their bytes, not by what they show.

An engine hashes them into the blocks that they fill (facts/vllm.md §6), so another image is another
prompt from there on, and the same bytes are found again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

# What an image takes in a prompt depends on the model and its size; this is the usual order.
_CHARACTERS = 576 * 4
_KINDS = ("image", "audio", "video")
# Without digits it is not taken for an id that somebody wrote into the prompt.
_LETTERS = str.maketrans("0123456789", "ghijklmnop")


def is_media(part: Mapping[str, Any]) -> bool:
    """Whether a part of a content is an image, sound or a film, in any of the APIs."""
    kind = part.get("type")
    return isinstance(kind, str) and any(name in kind for name in _KINDS) and "text" not in part


def as_text(part: Mapping[str, Any]) -> str:
    """A text that stands for it: of about its length in tokens, and another for other bytes."""
    kept = {name: value for name, value in part.items() if name != "cache_control"}
    digest = hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()
    digest = digest.translate(_LETTERS)
    return (digest * (_CHARACTERS // len(digest) + 1))[:_CHARACTERS]

"""A printed ``Authorization`` header without ``Bearer`` before the key, refused further down.

LiteLLM and vLLM read nothing else (facts/gateway-clients.md §1.2, facts/vllm.md §2); new-api takes
a bare key all the same, so it counts beside a refusal only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from doctor.patterns import Pattern

_BARE = Pattern(
    r"(?:(?:-H ?|--header[ =])\\?['\"]|^\s*> ?|['\"])authorization['\"]?\s*(?::|=>|,)\s*b?['\"]?"
    r"(?:(?:sk|gsk|hf|xai|cr)[-_]\S|\$\{?[A-Z][A-Z0-9_]*KEY\b)",
    re.IGNORECASE,
)
_REFUSED = Pattern(
    r"\b401\b|unauthori[sz]ed|authentication[_ ](?:error|fail)|(?:invalid|incorrect) api[- ]?key"
    r"|missing bearer|didn't provide an api key",
    re.IGNORECASE,
)
_BEHIND = 12


def without_bearer(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number of the line, and ``a key without Bearer before it: 401``; the first one only."""
    for index, line in enumerate(lines):
        if _BARE.search(line) is not None:
            if any(map(_REFUSED.search, lines[index : index + 1 + _BEHIND])):
                yield index + 1, "a key without Bearer before it: 401"
            return

"""The wrong bodies themselves, each from the facts, a case or an observed server."""

from __future__ import annotations

from .shapes import Json

# Facts: gateway-clients.md 1.3; seen in the wild with status 500 and this code.
UPSTREAM_UNREACHABLE: Json = {
    "error": {
        "message": "upstream error: do request failed",
        "type": "new_api_error",
        "param": "",
        "code": "do_request_failed",
    }
}

# Facts: gateway-clients.md 1.3, upstream errors without an OpenAI body.
UPSTREAM_UNAVAILABLE: Json = {
    "error": {
        "message": "bad response status code 503",
        "type": "upstream_error",
        "param": "",
        "code": "bad_response_status_code",
    }
}

# Facts: gateway-clients.md 1.3, what one-api makes of any upstream 429.
SATURATED: Json = {
    "error": {
        "message": "当前分组上游负载已饱和，请稍后再试",
        "type": "upstream_error",
        "param": "",
        "code": "bad_response_status_code",
    }
}

# Facts: gateway-clients.md 1.1, the admin API's shape.
SUCCESS_FALSE: Json = {"message": "Invalid token", "success": False}

# The hosted API's own text, as users paste it: param and code included.
MAX_TOKENS_REFUSED: Json = {
    "error": {
        "message": "Unsupported parameter: 'max_tokens' is not supported with this model."
        " Use 'max_completion_tokens' instead.",
        "type": "invalid_request_error",
        "param": "max_tokens",
        "code": "unsupported_parameter",
    }
}

MAX_COMPLETION_TOKENS_REFUSED: Json = {
    "error": {
        "message": "Unrecognized request argument supplied: max_completion_tokens",
        "type": "invalid_request_error",
        "param": None,
        "code": None,
    }
}


def max_tokens_capped(limit: int) -> Json:
    """Case BR-121."""
    return {
        "error": {
            "message": f"Invalid max_tokens value, the valid range of max_tokens is [1, {limit}]",
            "type": "invalid_request_error",
            "param": None,
            "code": "invalid_request_error",
        }
    }


# Case BR-113: the first chunk of an Azure stream.
_SAFE = {"filtered": False, "severity": "safe"}
_CATEGORIES = ("hate", "self_harm", "sexual", "violence")
AZURE_FILTER: Json = {
    "id": "",
    "choices": [],
    "created": 0,
    "model": "",
    "object": "",
    "system_fingerprint": None,
    "prompt_filter_results": [
        {
            "prompt_index": 0,
            "content_filter_results": dict.fromkeys(_CATEGORIES, _SAFE),
        }
    ],
}

# Case BR-114: a choice without a delta.
AZURE_NO_DELTA: Json = {
    "id": "",
    "choices": [
        {
            "finish_reason": None,
            "index": 0,
            "content_filter_offsets": {
                "check_offset": 3329,
                "start_offset": 3329,
                "end_offset": 3438,
            },
            "content_filter_results": {"hate": _SAFE},
        }
    ],
    "created": 0,
    "model": "",
    "object": "",
}

THOUGHTS = "The user says hi. I should greet back. Let me think about how to greet."

# Everything that could do harm in some output: SGR and clear screen, window title, clipboard,
# hyperlink, 8-bit CSI, carriage return, bidi override, Rich and Textual markup, HTML, a CI
# workflow command, a Markdown image, a NUL.
HOSTILE = (
    "\x1b[2J\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]52;c;ZGVtbw==\x07"
    " \x1b]8;;https://elsewhere.example\x1b\\link\x1b]8;;\x1b\\ \x9b31m \rover"
    " \u202egnp.exe [bold red]markup[/] [@click=app.quit]quit[/] [link=https://elsewhere.example]x"
    "[/link] </pre><script>alert(1)</script> <img src=x onerror=alert(1)>"
    "\n::error file=app.py::made up\n![x](https://elsewhere.example/x.png) \x00 end"
)

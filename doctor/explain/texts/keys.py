"""Texts about a key that is missing or cannot be sent."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _

_QUOTES = frozenset("‘’‚‛“”„‟«»`´")
_LOOK = _("kvdoctor check names the character and its position")


def _header_value(match: re.Match[str]) -> tuple[Cause, ...]:
    """h11 quotes the header: what follows ``Bearer`` is the key, escapes included."""
    value = match.group("value")
    core = value.removeprefix("Bearer")
    if not core.strip(" '\""):
        return (Cause("KVD101", 0.95, _("nothing stands behind Bearer: the key is empty")),)
    if "\\n" in value or "\\r" in value:
        return (
            Cause("KVD102", 0.9, _("the quoted header ends in a line break")),
            Cause("KVD116", 0.1, _("an env file with Windows line ends puts it there")),
        )
    return (
        Cause("KVD102", 0.85, _("a blank or control character stands in the quoted header")),
        Cause("KVD104", 0.15, _("an invisible character would be spelled \\x.. there")),
    )


def _not_ascii(match: re.Match[str]) -> tuple[Cause, ...]:
    """Which character Python or Node stumbled over, and where: Bearer and a blank are 7 long."""
    groups = match.groupdict()
    char = _character(groups)
    first, _dash, last = (groups.get("position") or "").partition("-")
    if char is not None and char in _QUOTES:
        return (
            Cause("KVD103", 0.9, _("the character is a typographic quote")),
            Cause("KVD104", 0.1, _LOOK),
        )
    if last and first.isdigit() and int(last) - int(first) >= 2 and int(first) <= 12:
        return (
            Cause("KVD104", 0.55, _("words of another script stand where the key begins")),
            Cause("KVD106", 0.45, _("a placeholder such as sk-你的Key was never replaced")),
        )
    return (
        Cause("KVD104", 0.85, _("a character outside ASCII stands in the key")),
        Cause("KVD103", 0.1, _("a typographic quote would be U+2018 to U+201D")),
    )


def _character(groups: dict[str, str | None]) -> str | None:
    escaped, number = groups.get("escaped"), groups.get("number")
    if escaped:
        return chr(int(escaped.lstrip("ux"), 16))
    return chr(int(number)) if number else None


# ${NAME}, $NAME, %NAME%, {env:NAME}, ${{ secrets.NAME }}: what stands for a key in a file.
_REFERENCE = r"(?:\$\{{1,2} ?[\w.]+ ?\}{1,2}|\$[A-Z_]{4,}|%\w+%|\{env:\w+\}|\{\{ ?\w+ ?\}\})"

# How keys of others than OpenAI begin (doctor/providers.toml); OpenAI masks the middle.
_OTHERS = (
    r"(?:sk-or-v1|sk-ant-|gsk_|aiza|aq\.[a-z\d]|xai-|hf_|github_pat_|ghp_|pplx-|nvapi-|r8_|fw_"
    r"|csk-|tgp_v1|vck_|bce-v3)"
)
# Others took OpenAI's words over, with the address of their own keys.
_NOT_OPENAI = r"(?![^\n]{0,160}\bapi keys? (?:at|from|on|in) https?://(?!platform\.openai\.com))"

# What no name of a variable looks like: a key in whatever case, or a masked one.
_KEY_FOR_A_NAME = (
    r"(?:(?:sk|gsk|xai|nvapi|pplx|csk|fk|ak|cr)-(?=[\w-]{0,60}\d)[\w-]{12,}"
    r"|(?-i:(?:sk|gsk|hf|fk|cr|tgp)_(?=\w{0,60}\d)\w{12,})"
    r"|(?:sk|gsk|xai|hf|fk|ak|cr)[-_][\w-]{0,8}…|…[a-z\d]{4}\b|aiza[\w-]{20,}|aq\.[\w-]{20,})"
)

_REFUSING = (
    r"^(?=.*(?:error|invalid|unknown|unsupported|unrecogni|not |no such|fail|cannot|wrong"
    r"|错误|无效|未知|不支持|不存在))"
)

SYMPTOMS = (
    symptom(
        # Codex and others, of a setting that takes the name of a variable.
        rf"\benvironment variables? ?(?:named |called )?:? ?['\"`$%{{]{{0,2}}{_KEY_FOR_A_NAME}"
        rf"|\benv(?:[- _]?var(?:iable)?)?s?:? ['\"`$%{{]{{0,2}}{_KEY_FOR_A_NAME}"
        rf"|环境变量 ?[:：]? ?['\"`“]?{_KEY_FOR_A_NAME}"
        rf"|{_KEY_FOR_A_NAME}['\"`]? (?:environment variable|env var)",
        _("a key stands where the name of a variable is due"),
        Cause("KVD109", 0.95, _("write the variable's name there, and the key into the variable")),
    ),
    symptom(
        # The name of a variable, of which OpenAI masks the middle.
        r"incorrect api key provided: ['\"]?(?-i:[A-Z]{2,}_[A-Z_*]{0,60}(?:KEY|TOKEN))\b",
        _("the name of a variable was sent in place of the key"),
        Cause("KVD106", 0.7, _("put the key itself in")),
        Cause("KVD109", 0.3, _("or write what the program takes for a variable: $NAME, ${NAME}")),
    ),
    symptom(
        r"incorrect api key provided: ['\"]?https?:",
        _("an address was sent in place of the key"),
        Cause("KVD112", 0.95, _("are key and base URL in each other's place?")),
    ),
    symptom(
        rf"incorrect api key provided: ['\"]?{_OTHERS}{_NOT_OPENAI}",
        _("the key that OpenAI refuses begins as another provider's do"),
        Cause("KVD108", 0.95, _("send it to that provider, or set a key of OpenAI")),
    ),
    symptom(
        r"\bcurl\b.*'[^'\n]{0,80}\bbearer \$\{?[a-z_]{4,}",
        _("single quotes keep the shell from filling in the key"),
        Cause("KVD106", 0.9, _("write the header in double quotes")),
    ),
    symptom(
        r"\bPS [A-Z]:\\[^>\n]{0,200}>.*\"[^\"]*\bbearer \$(?!env:)[a-z_]{4,}",
        _("to PowerShell this is a variable of its own, so the key is empty"),
        Cause("KVD101", 0.85, _("a variable of the environment is written $env:NAME")),
    ),
    symptom(
        rf"{_REFERENCE}[`'\"]? (?:is |was |being )?(?:sent|used|passed|taken|treated|read)\b"
        r".{0,12}\b(?:literal|verbatim|as[- ]is)"
        rf"|literal(?:ly)? (?:string |text |value )?[`'\"]?{_REFERENCE}"
        # A server quotes what it got; single quotes keep a shell from filling in.
        r"|incorrect api key provided: ['\"]?(?:\$\{?[a-z*]|%[a-z]|\{env:|\{\{)"
        r"|'[^'\n]{0,80}\bbearer \$\{?[a-z_]{4,}"
        # cmd has %NAME%.
        r"|^\W*[A-Z]:\\[^>\n]{0,200}>.*\bbearer \$[a-z_]{4,}",
        _("the reference to a variable is sent in place of the key"),
        Cause("KVD106", 0.6, _("this program does not fill references in: put the key itself in")),
        Cause("KVD109", 0.4, _("is the variable set where the program runs?")),
    ),
    symptom(
        r"illegal header value b['\"](?P<value>[^'\"]*)['\"]?",
        _("Python's HTTP library refuses the Authorization header before anything is sent"),
        _header_value,
    ),
    symptom(
        r"newline(?:,| or) carriage return,?(?: or null byte)? detected in headers"
        r"|invalid header value b['\"][^'\"]*\\[rn]"
        r"|return character\(s\) in header value"
        r"|invalid leading whitespace, reserved character"
        r"|unexpected char 0x0[ad9] at \d+ in (?:authorization|x-api-key) value"
        r"|illegal character\(s\) in message header value"
        r"|new-?line characters are not allowed in header values"
        r"|header field value cannot include cr/lf|header may not contain more than a single header"
        r"|[\"'][^\"'\n]{0,200}\\[rn][^\"'\n]{0,20}[\"'] is not valid header value",
        _("the key holds a line break or a blank at its end, which no header may carry"),
        Cause("KVD102", 0.85, _LOOK),
        Cause("KVD116", 0.15, _("an env file with Windows line ends or a BOM puts it there")),
    ),
    symptom(
        r"invalid header field value for \"?(?:authorization|x-api-key)"
        r"|invalid character in header content \[\"?(?:authorization|x-api-key)"
        r"|headers\.append: .* is an invalid header value"
        r"|failed to parse header value|invalidheadervalue|invalid http header value"
        r"|header 'authorization' has invalid value|is not valid header value"
        r"|the format of value '[^'\n]{0,300}' is invalid",
        _("the HTTP library refuses the key as a header value"),
        Cause("KVD102", 0.7, _("a line break or blank stands in the key")),
        Cause("KVD104", 0.3, _("a character outside ASCII stands in the key")),
    ),
    symptom(
        r"'(?:ascii|latin-1)' codec? can't encode characters? "
        r"(?:'\\{1,2}(?P<escaped>[ux][0-9a-f]{2,4})' )?in position (?P<position>\d+(?:-\d+)?)",
        _("the key (or another header) holds a character outside ASCII"),
        _not_ascii,
    ),
    symptom(
        r"cannot convert argument to a bytestring because the character at index "
        r"(?P<position>\d+) has a value of (?P<number>\d+)",
        _("the key (or another header) holds a character outside ASCII"),
        _not_ascii,
    ),
    symptom(
        r"invalid authorization header value from \S+: it contains a non-ascii character"
        r"|string contains non[- ]iso-8859-1 code point"
        r"|request headers must contain only ascii|header value contains non-ascii"
        r"|non-ascii characters? in (?:the )?(?:header|api.?key)"
        r"|unexpected char 0x(?!0[ad9])[0-9a-f]{2,6} at \d+ in (?:authorization|x-api-key) value",
        _("the key holds a character outside ASCII"),
        Cause("KVD104", 0.9, _LOOK),
        Cause("KVD103", 0.1, _("a typographic quote would be U+2018 to U+201D")),
    ),
    symptom(
        r"invalid env file.*contains whitespace|unexpected character .* in variable name",
        _("docker refuses a line of the env file"),
        Cause("KVD116", 0.95, _("write NAME=value: no export, no blank around the equals sign")),
    ),
    symptom(
        r"malformed api key passed in",
        _("LiteLLM got an Authorization header that does not read Bearer and a key"),
        Cause("KVD114", 0.5, _("the key travels in another header")),
        Cause("KVD105", 0.3, _("the key itself begins with Bearer")),
        Cause("KVD101", 0.2, _("the key is empty")),
    ),
    symptom(
        # Of a value that a program quotes or names: behind one, a comment is right.
        rf"{_REFUSING}.*\b(?:provider|model|api[-_ ]?key|(?:base[-_ ]?)?url|name)\b"
        r"(?:[`'\"]?: ?[`'\"(]?| ?[`'\"(]{1,2})#\s?\w",
        _("the comment of an env file was taken as the value"),
        Cause("KVD107", 0.95, _("put the comment on a line of its own")),
    ),
    symptom(
        r"incorrect api key provided: \\?['\"‘“]",
        _("the server quotes the key as it got it, and it begins with a quote"),
        Cause("KVD103", 0.9, _("quotes belong to the shell, not to the value")),
    ),
    symptom(
        r"incorrect api key provided: "
        r"(?:(?:add[-_])?your|<|\$|\{|xxx|sk-x{3}|sk-\.\.|empty\b|placeholder|示例|你的"
        # Of a word that is longer than it shows, the middle is masked.
        r"|(?:sk-)?(?:dummy|fake|insert|replace|change[-_]?m|placeh|example|sample|enter[-_]"
        r"|paste[-_]|no[-_](?:ke|ap|to)|not[-_](?:ne|re|us|se))|(?:my|test|some|an)[-_](?:ap|ke)"
        r"|(?-i:(?:openai[-_])?api[-_]?[kK]))"
        # DeepSeek shows the end alone.
        r"|your api key: \*+(?:[-_]?key|here|[a-z_-]{1,3}[>}\]]) is invalid",
        _("the server quotes the key as it got it, and it is a text of a guide"),
        Cause("KVD106", 0.95, _("put the real key in its place")),
    ),
    symptom(
        r"incorrect api key provided: (?:undefined|null|none|\.|$)",
        _("the server quotes the key as it got it, and there is none"),
        Cause("KVD101", 0.8, _("the variable that the program reads is not set")),
        Cause("KVD109", 0.2, _("or does the configuration name another variable?")),
    ),
    symptom(
        r"bearer bearer|incorrect api key provided: bearer",
        _("Bearer is sent twice"),
        Cause("KVD105", 0.95, _("the client adds Bearer itself; store the bare key")),
    ),
)

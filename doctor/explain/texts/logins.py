"""Texts about logins that compete with keys (Claude Code, Codex)."""

from __future__ import annotations

from doctor.explain.model import Cause, symptom
from doctor.login_words import BEARER, CLAUDE_CODE, EXPIRED
from doctor.text import _

_KEYS_HEADER = _("does the same key work in x-api-key? A key sk-ant-api… goes there")

SYMPTOMS = (
    symptom(
        r"both (?:a token \()?\(?anthropic_auth_token\)? and (?:an api key \()?"
        r"\(?/login managed key\)?",
        _("Claude Code has a token and the key of an earlier login, and sends both"),
        Cause("KVD402", 0.9, _("claude /logout removes the key of the login")),
        Cause("KVD401", 0.3, _("is ANTHROPIC_API_KEY set as well?")),
    ),
    symptom(
        r"both (?:a token \()?\(?anthropic_auth_token\)? and (?:an api key \()?"
        r"\(?(?:\w+_api_key|apikeyhelper)\)?",
        _("Claude Code has a token and a key, and sends both"),
        Cause("KVD401", 0.95, _("keep one: on new-api the key in x-api-key wins")),
        Cause("KVD405", 0.1, _("does an apiKeyHelper bring the key?")),
    ),
    symptom(
        r"both (?:a token \()?\(?(?:claude\.ai|claude_code_oauth_token)\)? and (?:an api key \()?"
        r"\(?(?:anthropic_api_key|apikeyhelper|/login managed key)\)?"
        r"|auth conflict: using anthropic_api_key instead of anthropic console key",
        _("a stored login and a key compete in Claude Code"),
        Cause("KVD402", 0.9, _("claude /logout, or unset the key")),
        Cause("KVD405", 0.1, _("an apiKeyHelper in managed settings decides")),
    ),
    symptom(
        rf"{EXPIRED}|(?:login|session) expired"
        r"|refresh token (?:is invalid|has expired|was already used|expired)",
        _("the text is Anthropic's own: the request went there with a login's token"),
        Cause("KVD406", 0.8, _("log in again, or use the gateway's key")),
        Cause("KVD402", 0.2, _("the key of the gateway was not used at all")),
    ),
    symptom(
        r"oauth authentication is currently not (?:supported|allowed)",
        _("a login's token is used where an API key belongs"),
        Cause("KVD108", 0.6, _("the key begins with sk-ant-oat")),
        Cause("KVD407", 0.4, _("a stored login is sent to a host that is not Anthropic's")),
    ),
    symptom(
        r"invalid api key\W{1,4}please run /login",
        _("Claude Code has no key that the server takes"),
        Cause("KVD101", 0.4, _("with a gateway's address a token has to be set as well")),
        Cause("KVD111", 0.35, _("does the key work with curl?")),
        Cause("KVD402", 0.25, _("a stored login may be used in the key's place")),
        Cause("KVD108", 0.2, _("does the key begin with sk-ant-oat? That is a login's token")),
        Cause("KVD401", 0.1, _("are a token and a key set at once?")),
        Cause("KVD404", 0.1, _("does env in a settings.json replace what the shell exports?")),
    ),
    symptom(
        # Anthropic's own, to another program than Claude Code: a key in the place of a login.
        rf"^(?!.*{CLAUDE_CODE})(?=.*(?:api\.anthropic\.com|\breq_\w{{6}})).*{BEARER}",
        _("Anthropic does not take what came in Authorization: Bearer"),
        Cause("KVD114", 0.6, _KEYS_HEADER),
        Cause("KVD111", 0.3, _("or is the key itself no longer good?")),
        Cause("KVD108", 0.15, _("does the key begin with sk-ant-oat? That is a login's token")),
        Cause("KVD406", 0.1, _("or a login's token that was taken back: log in again")),
    ),
    symptom(
        rf"invalid api key\W{{1,4}}fix external api key"
        rf"|^(?=.*{CLAUDE_CODE}).*{BEARER}"
        rf"|^(?!.*(?:api\.anthropic\.com|\breq_\w{{6}})).*{BEARER}",
        _("the server refuses the key that Claude Code was given"),
        Cause("KVD111", 0.5, _("does the key work with curl?")),
        Cause("KVD108", 0.3, _("does the key begin with sk-ant-oat? That is a login's token")),
        Cause("KVD402", 0.3, _("is ANTHROPIC_AUTH_TOKEN left over beside a login?")),
        Cause("KVD401", 0.2, _("are a token and a key set at once?")),
        Cause("KVD114", 0.2, _KEYS_HEADER),
        Cause("KVD405", 0.15, _("does an apiKeyHelper bring the key?")),
        Cause("KVD106", 0.15, _("is the value a text of a guide, such as ollama?")),
        Cause("KVD404", 0.1, _("does env in a settings.json replace what the shell exports?")),
    ),
    symptom(
        # Claude Code's words, of a server that refuses what it sent.
        r"api error: 40[13]\b[^\n]{0,40}\binvalid (?:access )?token",
        _("the server refuses the token that Claude Code was given"),
        Cause("KVD111", 0.4, _("does the key work with curl?")),
        Cause("KVD405", 0.15, _("does an apiKeyHelper bring it, and is it too old by then?")),
        Cause("KVD401", 0.1, _("are a token and a key set at once?")),
        Cause("KVD404", 0.1, _("does env in a settings.json replace what the shell exports?")),
    ),
    symptom(
        # Codex's words (facts/gateway-clients.md §3.2).
        r"(?:exceeded retry limit, last status|unexpected status):? 401"
        r"|unexpected status 403 \w+: [^\n]{0,60}\b(?:invalid|incorrect|unknown)"
        r"[^\n]{0,20}\b(?:api[- _]?key|token)\b",
        _("the server refuses the key or login that Codex sent"),
        Cause("KVD111", 0.5, _("does the key work with curl?")),
        Cause("KVD403", 0.2, _("is a ChatGPT login stored, or an old key exported?")),
        Cause("KVD101", 0.2, _("does the provider name env_key? Else no key is sent")),
        Cause("KVD109", 0.1, _("is the variable that env_key names set?")),
        Cause(
            "KVD408",
            0.1,
            _("is there but OPENAI_API_KEY? Codex takes it at codex login --with-api-key alone"),
        ),
    ),
    symptom(
        r"missing scopes: api\.responses\.write",
        _("the key or login may not ask for a response"),
        Cause("KVD403", 0.5, _("a ChatGPT login was sent where a key belongs")),
        Cause("KVD115", 0.45, _("or is it a key with restricted permissions?")),
    ),
    symptom(
        r"the '[^']{1,80}' model is not supported when using codex with a chatgpt account",
        _("Codex uses a ChatGPT login, which does not offer this model"),
        Cause("KVD403", 0.6, _("is a key meant? Then the login has to go")),
        Cause("KVD501", 0.4, _("else take a model that the login offers")),
    ),
    symptom(
        # Gemini CLI (packages/core/src/code_assist/oauth2.ts).
        r"code assist login required",
        _("Gemini CLI is set to the login with Google, and waits for it"),
        Cause(
            "KVD402",
            0.6,
            _("is a key meant? Then security.auth.selectedType has to say so"),
            client="gemini-cli",
        ),
        Cause("KVD312", 0.15, _("or does this machine not reach accounts.google.com?")),
    ),
    symptom(
        r"wire_api = .?\"chat\".? is no longer supported|legacy .?profile = ",
        _("this version of Codex refuses a setting that older ones took"),
        Cause("KVD408", 0.95, _('write wire_api = "responses"')),
    ),
    symptom(
        r"toml parse error|(?:error|failure) loading (?:config|settings|configuration)\b(?!\.json)"
        r"|(?:failed|unable) to (?:parse|load|read) (?:the )?(?:config(?:uration)? file|settings)"
        r"|yamlexception|yaml\.(?:scanner|parser)\.\w+error|invalid (?:toml|yaml)\b"
        r"|(?:opencode|settings|providers)\.jsonc?\b[^\n]{0,80}(?:not valid|(?:parse|syntax) error)"
        r"|(?:unrecognized|unknown) keys? in (?:config|settings)|configinvaliderror",
        _("a settings file cannot be read, or the program does not take what stands in it"),
        Cause(
            "KVD409", 0.7, _("the text names line and column; does kvdoctor check find the file?")
        ),
        Cause("KVD408", 0.3, _("is it a setting that this version no longer takes?")),
    ),
    symptom(
        r"these settings did not load, so nothing in them is in effect",
        _("a settings file does not parse, so none of it applies"),
        Cause("KVD409", 0.95, _("Claude Code reads strict JSON: no comments")),
    ),
)

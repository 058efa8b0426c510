"""Texts of clients and servers that found no key."""

from __future__ import annotations

from doctor.explain.model import Cause, symptom
from doctor.text import _

_NAMES = r"[`'\"]?\w*(?:api_key|apikey|auth_token)\b"
_KEY = r"(?:api[- _]?key|密钥|秘钥)"

SYMPTOMS = (
    symptom(
        r"missing environment variable: [`'\"]?[\w-]+",
        _("the client's configuration names a variable that is not set"),
        Cause("KVD109", 0.9, _("echo the variable in the shell that starts the client")),
        Cause("KVD410", 0.1, _("it is set in a shell or file that this program never reads")),
    ),
    symptom(
        r"missing credentials\. please pass an|the api_key client option must be set"
        r"|openai_api_key environment variable is missing or empty"
        r"|could not resolve authentication method|not logged in . please run /login"
        r"|expected either apikey or authtoken|did not find \w+_api_key"
        r"|must be str or bytes, not <class 'nonetype'>"
        r"|keyerror: ['\"]\w*(?:api_key|auth_token)"
        r"|(?:api_key|auth_token)\b.{0,30}\b(?:is )?not (?:set|defined|found|configured|provided)"
        # Not the line of a shell that sets it.
        # Nor a guide's offer, nor a compose file's own words for what is missing.
        rf"|(?<!:\?)\b(?<!can )(?<!may )(?<!could )(?<!when you )(?:set|define|provide|specify"
        rf"|configure) (?:the |an? |your )?"
        rf"(?:environment variable )?{_NAMES}(?!['\"`]?\s*=)"
        r"|no api key (?:provided|found|for|configured|set|specified|available)"
        r"|(?<!or )missing (?:the |an? |your )?(?:[\w-]+ )?api[- _]?key"
        r"|api[- _]?key (?:is )?(?:required|missing)(?! (?:or|and/or) (?:invalid|incorrect|wrong))"
        r"|api[- _]?key (?:is |has )?not (?:been )?(?:set|configured|provided|specified|found)"
        r"|api[- _]?key (?:must|should) be (?:set|provided|specified|configured|non)"
        r"|api[- _]?key (?:cannot|can't|must not|may not) be (?:empty|null|blank|none)"
        r"|api[- _]?key or (?:credential|token)s? must be set"
        r"|no (?:valid )?credentials? (?:was |is |were )?(?:configured|set|specified|provided)"
        r"|could not find (?:an? )?api[- _]?key|missing (?:the )?\w+ credentials"
        r"|missing [\w.-]+ api key\.|please set (?:the )?\w+_(?:api_key|auth_token)",
        _("the client found no key"),
        Cause("KVD101", 0.8, _("the variable that the program reads is not set, or empty")),
        Cause("KVD410", 0.2, _("it is set in a shell or file that this program never reads")),
    ),
    symptom(
        rf"(?:未|没有|尚未|请先?)(?:配置|设置|填写|提供|输入|找到).{{0,10}}{_KEY}"
        rf"|{_KEY}(?:未|没有|尚未)(?:配置|设置|填写|提供|找到)|{_KEY}(?:不能|不可)?为空",
        _("the client found no key"),
        Cause("KVD101", 0.8, _("the variable that the program reads is not set, or empty")),
        Cause("KVD410", 0.2, _("it is set in a shell or file that this program never reads")),
    ),
    symptom(
        r"filename, directory name, or volume label syntax is incorrect",
        _("cmd was given PowerShell's syntax, so the variable was never set"),
        Cause("KVD101", 0.7, _("in cmd write: set NAME=value; in PowerShell: $env:NAME='value'")),
        Cause("KVD410", 0.3, _("setx only reaches programs started afterwards")),
    ),
    symptom(
        r"you didn't provide an api key|未提供令牌|no api key passed in|api_key_required"
        r"|no token provided|missing authentication header|authorization header is missing"
        r"|no (?:cookie )?auth credentials found|missing bearer or basic authentication"
        r"|missing (?:the )?(?:authorization|x-api-key) header"
        r"|authorization header (?:is )?required|x-api-key header is required"
        r"|please carry the api (?:secret )?key|header中未收到authorization"
        r"|未携带(?:令牌|token|密钥)",
        _("the server saw no key"),
        Cause("KVD101", 0.55, _("the client has no key")),
        Cause("KVD102", 0.15, _("Codex drops the header when the key ends in a line break")),
        Cause(
            "KVD114", 0.15, _("the client sends x-api-key where Bearer is wanted, or the reverse")
        ),
        Cause(
            "KVD207", 0.1, _("a redirect to another host drops the key: is the URL the final one?")
        ),
        Cause("KVD109", 0.05, _("the configuration names a variable that is not set")),
    ),
    symptom(
        r"bearer token (?:is )?required|expected (?:a )?bearer token|only bearer (?:tokens?|auth)"
        r"|unsupported authori[sz]ation (?:type|scheme)"
        r"|invalid authori[sz]ation (?:header )?format",
        _("the server wants the key as Authorization: Bearer"),
        Cause("KVD114", 0.55, _("the client sends x-api-key, or another header")),
        Cause("KVD101", 0.35, _("or does the client send no key at all?")),
        Cause("KVD105", 0.1, _("or does the key itself begin with Bearer?")),
    ),
)

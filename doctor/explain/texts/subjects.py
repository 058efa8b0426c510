"""What an error speaks of, where none of its wordings is known: the last resort.

Programs word the same failure in their own ways, and no dictionary holds them all. The subject of
the sentence still says where to look first; that is little, and so is the likelihood.
"""

from __future__ import annotations

import re

from doctor.explain.model import Cause, Symptom, symptom
from doctor.patterns import Pattern
from doctor.text import Text, _

# What an engine says while it starts is about weights and memory, and uses the same nouns.
OF_AN_ENGINE = Pattern(
    r"vllm|sglang|\bcuda\b|\btorch|nccl|\bgpus?\b|kv cache|safetensors|hugging ?face|\bgguf\b"
    r"|architecture|enginecore|out of memory",
    re.IGNORECASE,
)
# A line without one of these tells of no failure, whatever it speaks of.
_BAD = (
    r"(?=.*(?:\b(?:error|exception|fail(?:ed|s|ure)?|invalid|cannot|can't|could ?n[o']t|unable"
    r"|unexpected|refused|denied|reject(?:ed|s)?|malformed|missing|mismatch|unsupported|unknown"
    r"|expired|illegal|bad|panick?ed|traceback|not (?:valid|found|exist|set|allowed|supported))\b"
    r"|(?:has|have|is|are|was|were) (?:no|null|none|nil|empty|undefined)\b"
    r"|[a-z](?:error|exception)\b|错误|失败|异常|无效|无法|不存在|不支持|报错))"
)


def _about(words: str, meaning: Text, *causes: Cause) -> Symptom:
    return symptom(rf"^{_BAD}.*(?:{words})", meaning, *causes, generic=True)


# In the order in which they count: "proxy" tells more than "connection".
SUBJECTS = (
    _about(
        r"certificate|\bssl\b|\btls\b|证书",
        _("the text speaks of a certificate, in words that are not known here"),
        Cause("KVD320", 0.25, _("does this program trust the issuer?")),
        Cause("KVD321", 0.1, _("does a variable name a file that is not there?")),
    ),
    _about(
        r"\bproxy\b.*(?:malformed|invalid|scheme|\burl\b|format)|(?:malformed|invalid) proxy",
        _("the text speaks of how a proxy is written, in words that are not known here"),
        Cause("KVD304", 0.25, _("is the variable written as http://HOST:PORT?")),
        Cause("KVD301", 0.1, _("is the program that the variable names running?")),
    ),
    _about(
        r"\bprox(?:y|ies)\b|\bsocks|代理",
        _("the text speaks of a proxy, in words that are not known here"),
        Cause("KVD301", 0.25, _("is the program that the proxy variable names running?")),
        Cause("KVD304", 0.2, _("is the variable written as http://HOST:PORT?")),
    ),
    _about(
        r"\bchunk|\bdelta\b|\bsse\b",
        _("the text speaks of a part of a stream, in words that are not known here"),
        Cause("KVD512", 0.25, _("does the same request answer without stream?")),
        Cause("KVD515", 0.15, _("does the stream end before the answer does?")),
    ),
    _about(
        r"\bchoices?\b",
        _("the text speaks of choices, in words that are not known here"),
        Cause("KVD510", 0.25, _("print the whole body")),
        Cause("KVD511", 0.2, _("does the body hold an error?")),
    ),
    _about(
        r"max_?(?:completion_|output_|new_)?tokens|context[ _](?:length|window|size|limit)"
        r"|too many tokens|tokens? (?:limit|exceed|count)|token ?(?:数|超|上限)|上下文",
        _("the text speaks of tokens, in words that are not known here"),
        Cause("KVD602", 0.25, _("do prompt and output together fit into the window?")),
        Cause("KVD601", 0.2, _("is max_tokens over what the model allows?")),
    ),
    _about(
        r"\bheaders?\b",
        _("the text speaks of a header, in words that are not known here"),
        Cause("KVD102", 0.25, _("does a blank or line break stand in the key?")),
        Cause("KVD104", 0.15, _("does the key hold a character outside ASCII?")),
    ),
    _about(
        r"api[-_ ]?key|\bcredentials?\b|\bauth(?:entication|orization|enticate)?\b|\bapikey\b"
        r"|access token|密钥|令牌|鉴权|认证",
        _("the text speaks of a key, in words that are not known here"),
        Cause("KVD111", 0.25, _("does the key work with curl, typed by hand?")),
        Cause("KVD101", 0.2, _("does the program have a key at all?")),
    ),
    _about(
        r"\bmodels?\b|\bdeployment\b|模型",
        _("the text speaks of the model, in words that are not known here"),
        Cause("KVD501", 0.25, _("is the id in the list of GET BASE/models?")),
        Cause("KVD502", 0.15, _("case, a vendor prefix or a path may be all that differs")),
    ),
    _about(
        r"base[-_ ]?(?:url|path)|(?:invalid|malformed|bad|illegal|unsupported|api) (?:url|uri)\b"
        r"|\b(?:url|uri) (?:is|scheme|host)\b|api[-_ ]?base|\bendpoint (?:url|is|not)"
        r"|(?:接口|api)地址",
        _("the text speaks of an address, in words that are not known here"),
        Cause("KVD201", 0.25, _("does the base URL end in /v1?")),
        Cause("KVD206", 0.2, _("can the base URL be read as a URL?")),
    ),
    _about(
        r"\bjson\b|\bpars(?:e|ing)\b|deseriali[sz]|unmarshal|\bdecod(?:e|ing)\b|解析",
        _("the text speaks of an answer that could not be read, in words that are not known here"),
        Cause("KVD510", 0.25, _("print the whole body")),
        Cause("KVD201", 0.2, _("does GET BASE/models answer JSON, or a web page?")),
    ),
    _about(
        r"connect|\bsocket\b|\bnetwork\b|unreachable|连接|网络",
        _("the text speaks of a connection, in words that are not known here"),
        Cause("KVD311", 0.25, _("is the server running, and on this port?")),
        Cause("KVD301", 0.2, _("is a proxy variable set, and does it answer?")),
    ),
)

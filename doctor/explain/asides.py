"""What stands in a text beside a failure, or without any, and uses the same words.

Lists of files and of changes, sources, tables of a guide, tests that passed, requests of a browser
for its icon: such a line tells of no failure, whatever it speaks of. What package managers, git,
registries and databases say is about a key, a path and a rate of their own; only the way to their
servers is everybody's. A number is a status where something in its line says so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from doctor.patterns import Pattern

if TYPE_CHECKING:
    from doctor.explain.model import Cause

_DONE = (
    r"(?:fix(?:e[sd])?|add(?:s|ed)?|improve[sd]?|change[sd]?|remove[sd]?|bump(?:s|ed)?|update[sd]?"
    r"|handle[sd]?|supports?|supported|revert(?:s|ed)?|hardene?d?|reduce[sd]?|document(?:s|ed)?"
    r"|refactor(?:s|ed)?|deprecate[sd]?|implement(?:s|ed)?|rename[sd]?|introduce[sd]?)"
)
_KIND = r"(?:fix|feat|docs?|chore|refactor|perf|style|revert)"
# What is written before a line of a source: by grep, git diff, an agent that shows its edit.
_NUMBERED = r"(?:[\w./\\-]+\.\w{1,5}:\d+:(?:\d+:)?|\s*\d+\s*(?:[|→]|[-+] )|[-+](?![-+]))?\s*"
_LOGS = (
    r"(?:print|println!?|eprintln!?|panic!|(?:self\.)?_?log(?:ger|ging)?\.\w+|console\.\w+"
    r"|fmt\.\w+|errors\.New|die|throw|abort)"
)
_SOURCE = (
    rf"^{_NUMBERED}(?:(?:async )?def \w+\(|class \w+ ?[(:{{]|raise \w[\w.]*\(|except\b.*:$"
    r"|throw new \w+\(|throw \w+\(|return\b.*(?:[;(){}]|\bNone|\bFalse|\bTrue)$"
    r"|(?:\} ?)?(?:else ?)?if ?\(.*\) ?(?:\{|return\b|throw\b|continue|break)|(?:el)?if .{1,200}:$"
    r"|(?:export )?(?:const|let|var) \w+ ?=|func(?:tion)? \w*\(|(?:pub )?fn \w+\(|case .{1,80}:$"
    r"|import .{1,300} from ['\"]|(?:export |import )?\}? ?from ['\"][\w./@-]+['\"];?$"
    rf"|{_LOGS}\(|(?:self\.)?assert\w*[ !.(]|expect\(|(?:with )?pytest\.raises|@\w+\.\w+\(|/\*"
    r"|//(?! ?\w+[.:])|\"{3}\w|['\"]?[45]\d\d['\"]?: ?(?:\{ ?)?$|#\[\w+|Mock::)"
)
_LISTS = (
    # ls -l, git's statistics of a change, ping, a checklist's line.
    r"^[-dlcbps][-rwxsStT]{9}[.+@]?\s+\d+ |^ ?\S[^|]{0,200} \| +\d+ [-+]+$|^\d+ bytes from "
    r"|^\s*[-*+] \[[ xX]\] "
    # A row of a table, as Markdown has it.
    r"|^\s*\|(?:[^|]*\|){2,}\s*$"
    # pytest, jest, go test: what passed.
    r"|^E\s+\+\s+where |\s(?:PASSED|XFAIL|SKIPPED)\b|^\s*(?:✓|✔|√|PASS\b|ok \d)|^\s*--- PASS: "
    # git log --oneline, lists of changes, commits of the usual form.
    rf"|^(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{{7,40}} (?:\([^)]*\) )?(?:{_KIND}\b|{_DONE}\b)"
    rf"|^\s*[-*•+] (?:[\w ]{{1,20}}: )?{_DONE}\b(?!.*\b(?:still|but|however|get|got|getting)\b)"
    rf"|^\s*(?:[-*•] )?{_KIND}(?:\([\w./, -]+\))?!?: "
)
# A guide's sentences, on what to do should an error come.
_GUIDES = (
    r"^\W*(?:if|when(?:ever)?) (?:you|the (?:server|api|gateway|provider)|it|this)"
    r" (?:sees?|gets?|receives?|encounters?|returns?|responds?|answers?|shows?|reports?|hits?|runs?"
    r" into)\b"
    r"|\bcause: .*\bsolution: |^\s*(?:- )?description: "
    r"|^\W*(?:如果|若|当)(?:你|您|服务器?|接口)?(?:遇到|看到|出现|收到|返回|提示)"
)
# What Claude Code's model writes, as opposed to what its tools and its server say.
_MODELS = (
    r"^\s*[●⏺] (?!.*(?:api error|\berror:|invalid api key|please run /login|credit balance"
    r"|limit reached|request (?:timed out|failed)))"
)
# What a browser asks by itself, and monitors ask for.
_BROWSERS = (
    r"\"(?:GET|HEAD) /(?:favicon[\w.-]*|robots\.txt|apple-touch-icon\S*|\.well-known/\S*|sw\.js"
    r"|static/\S*|assets/\S*|sitemap\.xml|json/version|[\w./-]+\.(?:js|css|map|png|ico|svg|php|env))?"
    r"(?:\?\S*)?(?: HTTP/[\d.]+)?\""
    r"|\bGET\s+\"?/?favicon\.ico\b"
)
_BUILDS = (
    r"^(?:\S+ )?error TS\d+\b|\berror TS\d+: |^error\[E\d+\]|\bmake(?:\[\d+\])?: \*\*\* "
    r"|module not found: (?:error: )?can't resolve|^ERROR in \./"
    r"|^(?:<|< )?x-ratelimit-[\w-]+: "
)
_ASIDE = Pattern("|".join((_LISTS, _GUIDES, _MODELS, _BROWSERS, _BUILDS)), re.IGNORECASE)
_IS_SOURCE = Pattern(_SOURCE)

_HOSTS = (
    r"(?:pypi\.org|pythonhosted\.org|download\.pytorch\.org|npmjs\.org|npmmirror\.com|yarnpkg\.com"
    r"|archive\.ubuntu\.com|security\.ubuntu\.com|deb\.debian\.org|alpinelinux\.org|docker\.io"
    r"|maven\.org|crates\.io|proxy\.golang\.org|conda\.anaconda\.org|brew\.sh)"
)
_OTHERS = Pattern(
    rf"https?://(?:[\w-]+\.)*{_HOSTS}[/:]|^(?:[\d.]+ )?npm (?:err!|error|warn|notice)|^remote: "
    r"|^fatal: (?:repository|unable to access|authentication failed for|could not read)"
    r"|^[EW]: (?:failed to fetch|unable to|the repository|some index|could not)"
    r"|error response from daemon: (?:pull|manifest|get|head|unauthorized|toomany)"
    r"|toomanyrequests: you have reached your|\bpull access denied\b|^error: failed to solve"
    r"|\b(?:psycopg2?|pymysql|mysqldb|mysql\.connector|sqlalchemy\.exc|sqlite3|asyncpg|pymongo"
    r"|redis\.exceptions|kombu|aiomysql|cx_oracle|smtplib|paramiko)\.[\w.]*\w"
    r"|\bmongo(?:server|network|db|timeout)\w*error\b|\bsequelize\w*error\b|\bsqlstate\b"
    r"|\bora-\d{5}\b|^error \d{4} \(\w{5}\)|^(?:ssh|scp|rsync): |terraform aws provider"
    # kubectl, helm, gh, go, Django, Scrapy, WeChat.
    r"|^error from server \(|^error: installation failed: |^gh: |^go: |^not found: /"
    r"|\bcondahttperror\b|^collecting package metadata|\[scrapy\.|\"errcode\": ?\d"
    r"|botocore\.exceptions[^\n]*when calling the (?!invoke|converse)",
    re.IGNORECASE,
)

# An answer came, so the way is open.
_ANSWERED = Pattern(r"\b404\b\W{1,3}not found", re.IGNORECASE)

# A completion that came, of which the words are the model's.
_COMPLETION = Pattern(r"\"(?:choices|object\": ?\"chat\.completion)")
_SAID = Pattern(
    r"(?P<name>\"(?:content|reasoning_content|text)\": ?\")(?:[^\"\\]|\\.)+\"(?=\s*[,}])"
)

_HTTP = Pattern(
    r"error|status|https?\b|\bcodes?\b|respon|return|\bg[eo]t\b|\bpost\b|request|fail|unauth|forbid"
    r"|denied|refus|reject|\bapi\b|server|gateway|\burl\b|curl|retr|\bkey\b|limit|answer|log ?in"
    r"|exception|upstream|too many|not found|unavailable|overload|model|\bsays?\b|\bgives?\b"
    r"|错|返回|状态|失败|请求|网关|提示|出现|调用|接口|显示|限|异常|报|码",
    re.IGNORECASE,
)
_SHORT = 40
# A line of a file, an amount, a part of a longer number or of a date.
_AMOUNT_BEFORE = Pattern(
    r"(?:[=!]={1,2} ?|\.(?:py|js|ts|tsx|jsx|go|rs|cc|cpp|java|rb|php|c|h):|\blines? |[#$€£¥~]"
    r"|\d[.,:/-]"
    r"|\b\w*(?:tokens?|count|size|total|len(?:gth)?|quota|id|line|port|pid|bytes|seed|index|prompt"
    r"|completion|used|remaining|price|width|height|rows?|cols?|time)['\"]?\s{0,2}[=:]\s{0,2})$",
    re.IGNORECASE,
)
_AMOUNT_AFTER = Pattern(
    r" ?[=!]==?|[.,:/-]\d|%|(?: page|的)(?! not\b)|\.?\d*\s?(?:[mµu]s|s|secs?|seconds|min(?:utes)?"
    r"|[kmgt]i?b|bytes|tokens|lines?|files?|rows?|items|tests|insertions|deletions|additions"
    r"|commits|reqs|x)\b| [-+]{2,}",
    re.IGNORECASE,
)
_LONG, _HEADINGS = 20, 4
_HEADING = Pattern(r"#{1,5} \S|[=~-]{4,}\s*$|<h[1-5]\b")
_SHARE = 0.4
_CODE = Pattern(
    r"\s*(?:(?:import|from|export|def|class|return|raise|throw|try|except|catch|else|elif|if|for|while"
    r"|const|let|var|func|fn|pub|use|async|await|public|private|static|type|interface|package|case"
    r"|with|assert)\b.*[\w:;{(,)}\]'\"]\s*$|self\.|@\w|//|/?\*|\w[\w.]* ?(?::=|=) ?\S"
    r"|[\])}>]+[;,:]?\s*$"
    r"|\w[\w.]*\(.*[\]){(,;]\s*$|\"{3}|[rfb]?['\"`].*['\"`][,)\]]*;?\s*$)"
)
# Somebody who asks, a form for it, or what programs print.
_TOLD = Pattern(
    r"\bI(?:'m|'ve|'d)? (?:am|have|get|got|tried|use|see|run|ran|set|can|was|did|think|try)\b"
    r"|我(?:用|的|在|配置|遇到|们|按)|复现|实际(?:行为|结果)|报错(?:如下|信息)|求助"
    r"|^#+ .*(?:reproduc|expected|actual|describe the|what happened|environment info|log output)"
    r"|^\s*(?:Traceback \(|(?:\w+\.)*\w+(?:Error|Exception): |\w+ error: |error: |curl: \(|fatal: )"
    r"|^\W{0,3}\d{4}-\d\d-\d\d[ T]\d\d:\d\d|\[\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d.{0,40}\bERROR\b"
    r"|HTTP/[\d.]+\"? [45]\d\d|API Error|\bcaused by\b"
)
_FRAME = Pattern(r"^\s*File \"")
_MARKS = Pattern(r"^[\s~^]+$")
# How far above its exception the failing line stands.
_ABOVE = 4
_OF_AN_ANSWER = Pattern(
    r"choice|chunk|resp|complet|message|result|content|answer|candidate|output|json|data|\br\b",
    re.IGNORECASE,
)
_WRITES = Pattern(r"\bprint\(|\.write(?:lines|row)?\(|\bopen\(|\.encode\(\)?['\"]ascii|\blogg")


def is_guide(lines: Sequence[str]) -> bool:
    """Whether the text is a guide, a list of changes or a source: it has headings, or mostly
    statements, and nobody tells in it of a failure."""
    if len(lines) < _LONG:
        return False
    headings = sum(_HEADING.match(line) is not None for line in lines)
    of_source = sum(_CODE.match(line) is not None for line in lines)
    written = sum(not line.isspace() and line != "" for line in lines)
    if headings < _HEADINGS and of_source < written * _SHARE:
        return False
    return not any(map(_TOLD.search, lines))


def is_aside(line: str) -> bool:
    """Whether the line tells of no failure, whatever it speaks of."""
    return _ASIDE.search(line) is not None or _IS_SOURCE.search(line) is not None


def is_of_another(line: str, causes: Sequence[Cause]) -> bool:
    """Whether the line is of a program that asks no model, and ``causes`` are about more than the
    way to a server."""
    first = causes[0].code if causes else ""
    about_the_way = first[3:4] in ("3", "8", "9") and first not in ("KVD330", "KVD331")
    about_the_way = about_the_way and _ANSWERED.search(line) is None
    return not about_the_way and _OTHERS.search(line) is not None


def without_what_was_said(line: str) -> str:
    """Without the words of a model in a completion that came."""
    if _COMPLETION.search(line) is None:
        return line
    return _SAID.sub(r'\g<name>…"', line)


def is_status(match: re.Match[str]) -> bool:
    """Whether what matched is a status, where it is no more than a number (the group ``bare``)."""
    if not match.groupdict().get("bare"):
        return True
    line, start, end = match.string, match.start("bare"), match.end("bare")
    if _AMOUNT_BEFORE.search(line[max(0, start - 40) : start]) or _AMOUNT_AFTER.match(line, end):
        return False
    return len(line.strip()) <= _SHORT or _HTTP.search(line) is not None


def failed_elsewhere(lines: Sequence[str], number: int) -> bool:
    """Whether the traceback above line ``number``, an exception, shows a failing line that has
    nothing to do with a request or its answer."""
    exception = lines[number - 1]
    above = [line for line in lines[max(0, number - 1 - _ABOVE) : number - 1] if line.strip()]
    above = [line for line in above if _MARKS.match(line) is None]
    if above and "UnicodeEncodeError" in exception:
        return _WRITES.search(above[-1]) is not None
    if len(above) < 2 or _FRAME.match(above[-2]) is None or _FRAME.match(above[-1]) is not None:
        return False
    if "IndexError" in exception or "'NoneType' object is not subscriptable" in exception:
        return _OF_AN_ANSWER.search(above[-1]) is None
    return False

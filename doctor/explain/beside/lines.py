"""Lines that tell of no failure, whatever they speak of: lists of files and of changes, sources,
tables of a guide, tests that passed, requests of a browser for its icon."""

from __future__ import annotations

import re

from doctor.patterns import Pattern

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
    r"|^E\s+\+\s+where |\s(?-i:PASSED|XFAIL|SKIPPED)\b|^\s*(?:✓|✔|√|(?-i:PASS)\b|ok \d)"
    r"|^\s*--- PASS: "
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


def is_aside(line: str) -> bool:
    """Whether the line tells of no failure, whatever it speaks of."""
    return _ASIDE.search(line) is not None or _IS_SOURCE.search(line) is not None

"""What package managers, git, registries and databases say is about a key, a path and a rate of
their own; only the way to their servers is everybody's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from doctor.patterns import Pattern

if TYPE_CHECKING:
    from doctor.explain.model import Cause

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


def is_of_another(line: str, causes: Sequence[Cause]) -> bool:
    """Whether the line is of a program that asks no model, and ``causes`` are about more than the
    way to a server."""
    first = causes[0].code if causes else ""
    about_the_way = first[3:4] in ("3", "8", "9") and first not in ("KVD330", "KVD331")
    about_the_way = about_the_way and _ANSWERED.search(line) is None
    return not about_the_way and _OTHERS.search(line) is not None

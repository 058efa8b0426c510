"""A reduced report: what its author had, as one line of a JSONL file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPORTS = Path(__file__).parent / "reports.jsonl"
HEALTHY = Path(__file__).parent / "healthy.jsonl"

# The kinds that the score is about.
IN_SCOPE = (
    "key-format",
    "base-url",
    "proxy",
    "tls",
    "choices-shape",
    "model-id",
    "token-budget",
    "auth-conflict",
    "vllm-startup",
    "gpu-memory",
    "prefix-cache",
)


class CasesError(Exception):
    """The file of cases cannot be read; the text says where."""


@dataclass(frozen=True, slots=True)
class GivenResponse:
    """What the server answered to the request as it was configured."""

    status: int
    headers: dict[str, str]
    body: str

    @property
    def content_type(self) -> str:
        named = (value for name, value in self.headers.items() if name.lower() == "content-type")
        return next(named, "").partition(";")[0].strip().lower()


@dataclass(frozen=True, slots=True)
class Case:
    """``files`` are paths with their text: ``~/…`` in the home, ``/…`` of the system, others in
    the working folder. ``requests`` are the bodies of a request log."""

    id: str
    kind: str
    subkind: str = ""
    source: str = ""
    env: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    log: str = ""
    response: GivenResponse | None = None
    argv: tuple[str, ...] = ()
    requests: tuple[dict[str, Any], ...] = ()


def read_cases(path: Path) -> tuple[Case, ...]:
    """Every line of the file. Raises ``CasesError``."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise CasesError(f"{path}: {error.strerror}") from None
    return tuple(_cases(path, lines))


def _cases(path: Path, lines: list[str]) -> Iterator[Case]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield case_of(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise CasesError(f"{path}:{number}: {type(error).__name__}: {error}") from None


def case_of(row: dict[str, Any]) -> Case:
    """One line as a case. Raises ``KeyError`` and the like for another form."""
    given = row["minimal_input"]
    return Case(
        id=row["id"],
        kind=row["kind"],
        subkind=row.get("subkind", ""),
        source=row.get("source", ""),
        env={name: str(v) for name, v in (given.get("env") or {}).items() if v is not None},
        files={name: _text(content) for name, content in (given.get("files") or {}).items()},
        log=given.get("log") or "",
        response=_response(given.get("response")),
        argv=tuple(given.get("argv") or ()),
        requests=tuple(_requests(given.get("requests_jsonl") or "")),
    )


def _response(given: dict[str, Any] | None) -> GivenResponse | None:
    if given is None:
        return None
    body = given.get("body", "")
    return GivenResponse(
        status=int(given["status"]),
        headers={str(name): str(value) for name, value in (given.get("headers") or {}).items()},
        body=_text(body),
    )


def _text(content: Any) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _requests(text: str) -> Iterator[dict[str, Any]]:
    """The whole lines; a log that somebody pasted may be cut."""
    for line in text.splitlines():
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value

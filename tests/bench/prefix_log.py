"""Writes synthetic request logs: sessions of some turns, clean or with volatile text on top."""

from __future__ import annotations

import datetime
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_WORDS = (
    *("alpha", "beta", "gamma", "delta", "order", "refund", "ticket"),
    *("invoice", "ship", "parcel", "policy", "price", "note"),
)
_CHINESE = "请问这个订单什么时候可以发货，退款流程需要三个工作日，谢谢您的耐心等待。"
_CODE = (
    '\treturn {"id": order, "note": "it\'s\\n"}\n',
    "# C:\\Users\\shop\\orders\n",
    'print(f"{total:>8} €")\n',
)
_TURNS = 5
_OPEN = 20  # sessions at a time, as in a real log

Text = Callable[[random.Random, int], str]


def _text(dice: random.Random, words: int) -> str:
    return " ".join(dice.choice(_WORDS) for _ in range(words))


def _chinese(dice: random.Random, words: int) -> str:
    return "".join(dice.choice(_CHINESE) for _ in range(4 * words))


def _code(dice: random.Random, words: int) -> str:
    return "".join(dice.choice(_CODE) for _ in range(words // 4 + 1))


@dataclass(frozen=True, slots=True)
class Kind:
    """What the requests of a log are like: words of the system text and of each turn."""

    text: Text = _text
    system: int = 300
    turn: int = 35
    volatile: bool = True
    tools: bool = True
    # As most writers of JSON have it: what is no ASCII becomes \\uXXXX.
    escaped: bool = True

    def lines(self, count: int, seed: int = 7) -> Iterator[str]:
        for request in _requests(self, count, seed):
            yield json.dumps(request, ensure_ascii=self.escaped) + "\n"


KINDS = {
    "chats with a clock": Kind(),
    "chats": Kind(volatile=False),
    "agents' long histories": Kind(system=4_000, turn=400),
    "prompts of 1 MB": Kind(system=160_000, turn=1_000),
    "Chinese": Kind(text=_chinese, escaped=False),
    "Chinese, escaped": Kind(text=_chinese),
    "source code": Kind(text=_code),
    "small requests": Kind(system=12, turn=6, volatile=False, tools=False),
}


def requests(count: int, *, volatile: bool, seed: int = 7) -> Iterator[dict[str, object]]:
    """``count`` chat requests."""
    return _requests(Kind(volatile=volatile), count, seed)


def _requests(kind: Kind, count: int, seed: int) -> Iterator[dict[str, object]]:
    dice = random.Random(seed)
    rules = kind.text(dice, kind.system)
    tools = [_tool(name) for name in ("search_orders", "refund", "escalate")]
    more = {"tools": tools, "stream": True} if kind.tools else {"stream": True}
    began = datetime.datetime(2026, 3, 1, 9, 0, 0)
    sessions: list[list[dict[str, str]]] = []
    for number in range(count):
        if len(sessions) < _OPEN:
            sessions.append([])
        place = dice.randrange(len(sessions))
        history = sessions[place]
        history.append({"role": "user", "content": f"case {number}: {kind.text(dice, kind.turn)}"})
        now = began + datetime.timedelta(seconds=number)
        head = ""
        if kind.volatile:
            head = f"Current time: {now.isoformat()}\nRequest id: {dice.getrandbits(64):016x}\n"
        system = {"role": "system", "content": head + rules}
        yield {"model": "shop-8b", "messages": [system, *history], **more}
        history.append({"role": "assistant", "content": kind.text(dice, kind.turn)})
        if len(history) >= 2 * _TURNS:
            del sessions[place]


def write(path: Path, count: int, *, volatile: bool, seed: int = 7) -> None:
    """One JSON object per line."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(Kind(volatile=volatile).lines(count, seed))


def _tool(name: str) -> dict[str, object]:
    parameters = {"type": "object", "properties": {"id": {"type": "string"}}}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}

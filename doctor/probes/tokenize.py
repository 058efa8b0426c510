"""``POST /tokenize`` of a running vLLM: the token ids of a prompt, as the engine itself makes them.

vLLM guards what lies below ``/v1`` alone (facts/vllm.md §2.1), so no key is sent. It costs no
tokens: nothing is generated.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from doctor.prefix.prompts import NoPrompt
from doctor.prefix.tokens import NoTokenizer, turns_of
from doctor.prefix.trace import is_ids
from doctor.text import _
from doctor.untrusted import visible

_AT_ONCE = 4


class EngineTokens:
    """``url`` is the engine's root, or its ``/v1``; ``model`` None lets it choose; ``timeout`` is
    in seconds, for one prompt. Connections are kept open, and a few prompts are asked for at a
    time. Raises ``NoTokenizer`` where the URL makes no sense."""

    def __init__(self, url: str, model: str | None, timeout: float) -> None:
        import httpx

        root = url.rstrip("/").removesuffix("/v1")
        if not root.startswith(("http://", "https://")):
            raise NoTokenizer(_("--engine {url}: write http://HOST:PORT", url=visible(url, 200)))
        self._url = f"{root}/tokenize"
        self._model = model
        self._client = httpx.Client(
            timeout=timeout, trust_env=False, headers={"user-agent": "kvdoctor"}
        )
        self._pool = ThreadPoolExecutor(_AT_ONCE)
        self._asked_for: dict[int, Future[array[int]]] = {}

    def ahead(self, bodies: Sequence[Mapping[str, Any]]) -> None:
        """Ask for these already."""
        for body in bodies:
            self._asked_for[id(body)] = self._pool.submit(self._ids, body)

    def of(self, body: Mapping[str, Any]) -> Sequence[int]:
        """Raises ``NoPrompt`` where the engine refuses the prompt, ``NoTokenizer`` where it does
        not answer."""
        future = self._asked_for.pop(id(body), None)
        try:
            return self._ids(body) if future is None else future.result()
        except NoTokenizer:
            # Nobody waits for the others any more.
            self._pool.shutdown(wait=False, cancel_futures=True)
            raise

    def _ids(self, body: Mapping[str, Any]) -> array[int]:
        prompt = body.get("prompt", body.get("input"))
        if is_ids(prompt):
            return array("q", prompt)
        asked = self._asked(body, prompt)
        if self._model is not None:
            asked["model"] = self._model
        answer = self._answer(asked)
        ids = answer.get("tokens")
        if not is_ids(ids):
            raise NoTokenizer(_("{url} answers no token ids", url=visible(self._url, 200)))
        return array("q", ids)

    @staticmethod
    def _asked(body: Mapping[str, Any], prompt: Any) -> dict[str, Any]:
        if isinstance(prompt, str) and "messages" not in body:
            return {"prompt": prompt}
        asked: dict[str, Any] = {"messages": turns_of(body), "add_generation_prompt": True}
        for name in ("tools", "chat_template_kwargs"):
            if body.get(name):
                asked[name] = body[name]
        return asked

    def _answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        import httpx

        where = visible(self._url, 200)
        try:
            reply = self._client.post(self._url, json=asked)
            answer = reply.json()
        except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
            raise NoTokenizer(f"{where}: {visible(str(error), 200)}") from None
        except ValueError:
            answer = None
        if reply.status_code == 400:
            raise NoPrompt(_("the engine refuses it: {text}", text=visible(reply.text, 200)))
        if reply.status_code != 200 or not isinstance(answer, dict):
            status = reply.status_code
            raise NoTokenizer(_("{url} answers {status}", url=where, status=status))
        return answer

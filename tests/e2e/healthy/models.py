"""Model ids as servers really have them, and models lists of every kind."""

from __future__ import annotations

from collections.abc import Callable

from doctor.demo.http import LoopbackServer
from doctor.demo.messages import Answer, Response
from tests.e2e.api import Json, answer_of, events, listed, said, stream_of

from .scene import KEY, MODEL, Scene, healthy

_IDS = {
    "with_a_vendor": "Qwen/Qwen3-8B",
    "with_a_vendor_and_packing": "Qwen/Qwen2.5-72B-Instruct-AWQ",
    "of_openai_with_a_vendor": "openai/gpt-oss-120b",
    "with_a_tag": "llama3.1:8b",
    "with_a_tag_and_packing": "qwen2.5-coder:7b-instruct-q4_K_M",
    "with_a_date": "claude-sonnet-4-20250514",
    "with_a_date_of_openai": "gpt-4o-2024-08-06",
    "of_a_router": "anthropic/claude-sonnet-4.5:free",
    "of_cloudflare": "@cf/meta/llama-3.1-8b-instruct",
    "of_fireworks": "accounts/fireworks/models/deepseek-v3",
    "of_bedrock": "us.anthropic.claude-sonnet-4-20250514-v1:0",
    "fine_tuned": "ft:gpt-4o-mini-2024-07-18:acme::made0up",
    "an_absolute_path": "/models/Qwen3-8B",
    "a_path_of_windows": "D:\\models\\qwen3-8b.gguf",
    "a_file": "qwen3-8b-q4_k_m.gguf",
    "in_chinese": "通义千问-max",
    "in_capitals": "GLM-4.5-AIR",
    "a_bare_name": "default",
    "a_name_of_its_own": "my-model",
    "one_letter": "m",
    "with_blanks": "Qwen3 8B",
}


def _called(name: str, model: str) -> None:
    def build(s: Scene) -> None:
        s.shell(f"{s.api(ids=(model,), key=KEY).origin}/v1", model=model)

    build.__name__ = f"model_{name}"
    healthy()(build)


for _name, _id in _IDS.items():
    _called(_name, _id)


@healthy()
def path_of_vllm(s: Scene) -> None:
    server = s.engine(models=("/models/Qwen3-8B",), root="/models/Qwen3-8B")
    s.shell(f"{server.origin}/v1", "EMPTY", "/models/Qwen3-8B")


@healthy()
def adapter_of_vllm(s: Scene) -> None:
    server = s.engine(models=(MODEL, "sql-lora"), root="/models/Qwen3-8B")
    s.shell(f"{server.origin}/v1", "EMPTY", "sql-lora")


@healthy()
def only_model_unnamed(s: Scene) -> None:
    """No model is configured, and one is served."""
    s.shell(f"{s.engine().origin}/v1", "EMPTY", None)


@healthy(completes=False)
def several_models_unnamed(s: Scene) -> None:
    s.shell(f"{s.api(ids=('a', 'b')).origin}/v1", model=None)


def _answers_as(name: str, asked: str, answered: str) -> None:
    def build(s: Scene) -> None:
        s.shell(f"{_served(s, asked, answered).origin}/v1", model=asked)

    build.__name__ = f"answered_{name}"
    healthy()(build)


def _served(s: Scene, asked: str, answered: str) -> LoopbackServer:
    return s.api(ids=(asked,), chat=lambda body: stream_of(events(said(answered, "pong"))))


_answers_as("by_the_dated_one", "gpt-4o", "gpt-4o-2024-08-06")
_answers_as("by_the_dated_claude", "claude-sonnet-4-5", "claude-sonnet-4-5-20250929")
_answers_as("without_the_vendor", "deepseek/deepseek-chat", "deepseek-chat")
_answers_as("with_the_vendor", "qwen3-8b", "Qwen/Qwen3-8B")
_answers_as("with_the_path", "qwen3-8b", "/models/Qwen3-8B")
_answers_as("in_lower_case", "GLM-4.5", "glm-4.5")
_answers_as("without_the_tag", "anthropic/claude-sonnet-4.5:free", "anthropic/claude-sonnet-4.5")
_answers_as("by_an_alias", "prod", "Qwen/Qwen3-8B")
_answers_as("by_latest", "gemini-2.5-flash-latest", "gemini-2.5-flash-preview-09-2025")
_answers_as("without_a_name", "qwen3-8b", "")


def _with_list(name: str, models: Callable[[], Answer]) -> None:
    """The completion is answered whatever the models list says."""

    def build(s: Scene) -> None:
        s.shell(f"{s.api(models=models).origin}/v1")

    build.__name__ = f"list_{name}"
    healthy()(build)


_with_list("absent", lambda: answer_of(404, {"detail": "Not Found"}))
_with_list("absent_without_json", lambda: Response(404, b"404 page not found"))
_with_list("not_allowed", lambda: answer_of(405, {"detail": "Method Not Allowed"}))
_with_list("forbidden", lambda: answer_of(403, {"error": {"message": "Forbidden"}}))
_with_list("not_implemented", lambda: answer_of(501, {"error": {"message": "not implemented"}}))
_with_list("broken", lambda: Response(500, b"Internal Server Error"))
_with_list("a_page", lambda: Response(200, b"<!doctype html><title>x</title>"))
_with_list("empty", lambda: answer_of(200, listed()))
_with_list("null", lambda: answer_of(200, {"object": "list", "data": None}))
_with_list("bare", lambda: answer_of(200, [{"id": MODEL}]))
_with_list("of_other_models", lambda: answer_of(200, listed("text-embedding-3-small")))
_with_list("of_two_thousand", lambda: answer_of(200, listed(*_many(), MODEL)))
_with_list("of_two_thousand_others", lambda: answer_of(200, listed(*_many())))
_with_list("with_a_star", lambda: answer_of(200, listed("*", "openai/*")))
_with_list("with_windows", lambda: answer_of(200, listed(MODEL, max_model_len=4096)))
_with_list("with_many_fields", lambda: answer_of(200, listed(MODEL, context_length=8192, x=[])))


def _many() -> list[str]:
    return [f"vendor-{n % 40}/model-{n}" for n in range(2_000)]


@healthy()
def budget_within_the_window(s: Scene) -> None:
    server = s.engine(max_model_len=4096)
    s.shell(f"{server.origin}/v1", "EMPTY", OPENAI_MAX_TOKENS="2048")


@healthy()
def budget_that_just_fits(s: Scene) -> None:
    server = s.engine(max_model_len=4096)
    s.shell(f"{server.origin}/v1", "EMPTY", OPENAI_MAX_TOKENS="4000")


@healthy()
def budget_by_its_newer_name(s: Scene) -> None:
    """Reasoning models of OpenAI refuse max_tokens; their clients do not send it."""

    def chat(body: Json) -> Answer:
        if "max_tokens" in body:
            text = (
                "Unsupported parameter: 'max_tokens' is not supported with this model."
                " Use 'max_completion_tokens' instead."
            )
            error = {"message": text, "type": "invalid_request_error", "param": "max_tokens"}
            return answer_of(400, {"error": {**error, "code": "unsupported_parameter"}})
        return stream_of(events(said("o4-mini", "pong")))

    s.shell(f"{s.api(ids=('o4-mini',), chat=chat).origin}/v1", model="o4-mini")

"""The sound setup of an OpenAI client at a gateway, which most scenarios break in one place."""

from __future__ import annotations

from collections.abc import Mapping

from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD
from doctor.demo.newapi_config import MODELS

MODEL = MODELS[0].id
BASE_PATH = "/api/v1"


def base_of(gateway: LoopbackServer) -> str:
    """The base URL that is right for an OpenAI client."""
    return gateway.origin + BASE_PATH


def elsewhere(gateway: LoopbackServer) -> tuple[str, tuple[str, ...]]:
    """The base URL of a gateway on another machine, and the arguments that dial the demo's own.

    The name is one of the documentation's (RFC 2606) and is never looked up.
    """
    return f"http://llm.example{BASE_PATH}", ("--connect-to", f"llm.example:80={gateway.netloc}")


def shell(base: str, key: str = GOOD, model: str = MODEL) -> dict[str, str]:
    """The three variables of an OpenAI client."""
    return {"OPENAI_BASE_URL": base, "OPENAI_API_KEY": key, "OPENAI_MODEL": model}


def env_file(variables: Mapping[str, str]) -> str:
    """The lines of a ``.env`` file, values as they are."""
    return "".join(f"{name}={value}\n" for name, value in variables.items())

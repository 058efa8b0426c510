"""Programs that are known by the image of their container, and join a base in a way of their own.

Others, such as LobeChat and Open WebUI, take a base as the OpenAI SDK does, under names that count
as its variables.
"""

from __future__ import annotations

from doctor.patterns import Pattern
from doctor.secrets import Secret
from doctor.settings.building import connection, model_of
from doctor.settings.candidates import Candidate
from doctor.settings.sdk_targets import label
from doctor.settings.variables import Space

_NEXT_CHAT = Pattern(r"(?:.*/)?yidadaa/chatgpt-next-web(?:[:@].*)?")
_BASE, _KEY = "BASE_URL", "OPENAI_API_KEY"
# With one of these its server asks another vendor's API.
_OF_OTHERS = ("AZURE_URL",)


def of_image(space: Space) -> list[Candidate] | None:
    """None for an image whose program is not known here."""
    if _NEXT_CHAT.fullmatch(space.image) is None or any(map(space.get, _OF_OTHERS)):
        return None
    base = space.setting((_BASE,), str)
    if base is None:
        return []
    key = space.setting((_KEY,), _one_of)
    made = connection("next-chat", base, key, model=model_of(space, ("OPENAI",)))
    return [Candidate(space.suffix or "next-chat", label(space, base, key), made)]


def _one_of(text: str) -> Secret:
    """Of several it takes any."""
    return Secret(text.partition(",")[0].strip())

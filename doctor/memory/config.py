"""A model's config.json, read with suspicion: every value is checked where it is taken.

Field names are those of the Hub's config.json files. Multimodal models keep their language
model's fields in a section of their own; what is looked for is looked for there first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from doctor.memory.errors import ModelError
from doctor.records import dataclass
from doctor.text import _
from doctor.untrusted import visible

# Where multimodal models keep their language model (vLLM 0.32 transformers_utils/config.py and
# the models' own classes).
_SECTIONS = ("text_config", "llm_config", "language_config", "llm_cfg", "thinker_config")

MAX_LAYERS = 4_096
MAX_SIZE = 1 << 31

_MISSING: Any = object()


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """``whole`` is the file's object, ``text`` the section of the language model (the same object
    where there is none). ``place`` is how messages call the file."""

    whole: Mapping[str, Any]
    text: Mapping[str, Any]
    place: str

    @property
    def architecture(self) -> str:
        """The first of ``architectures``. Raises ``ModelError`` where there is none."""
        named = self.whole.get("architectures") or self.text.get("architectures")
        if isinstance(named, list) and named and isinstance(named[0], str):
            return named[0]
        raise ModelError(
            _("{place} names no architecture: 'architectures' is missing", place=self.place)
        )

    @property
    def text_type(self) -> str:
        """``model_type`` of the language model."""
        for section in (self.text, self.whole):
            if isinstance(section.get("model_type"), str):
                return str(section["model_type"])
        return ""

    @property
    def multimodal(self) -> bool:
        return self.text is not self.whole

    def find(self, *names: str) -> Any:
        """The first of these fields that is there and not null, else None."""
        for name in names:
            for section in (self.text, self.whole):
                if section.get(name) is not None:
                    return section[name]
        return None

    def integer(
        self, *names: str, default: int | None = _MISSING, low: int = 1, high: int = MAX_SIZE
    ) -> int:
        """A whole number within bounds. Raises ``ModelError`` that names the field."""
        value = self.optional(*names, low=low, high=high)
        if value is not None:
            return value
        if default is _MISSING or default is None:
            raise ModelError(_("{place} lacks the field '{name}'", place=self.place, name=names[0]))
        return default

    def optional(self, *names: str, low: int = 0, high: int = MAX_SIZE) -> int | None:
        """As ``integer``; None where the field is missing or null."""
        value = self.find(*names)
        if value is None:
            return None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.refused(
                names[0], value, _("a whole number from {low} to {high}", low=low, high=high)
            )
        return value

    def number(self, name: str, default: float) -> float:
        value = self.find(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
            raise self.refused(name, value, _("a number"))
        return float(value)

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.find(name)
        return default if value is None else bool(value)

    def words(self, *names: str) -> tuple[str, ...] | None:
        """A list of words, None where it is missing."""
        value = self.find(*names)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
            raise self.refused(names[0], value, _("a list of words"))
        return tuple(value[: MAX_LAYERS + 1])

    def integers(self, name: str) -> tuple[int, ...] | None:
        """A list of whole numbers, None where it is missing."""
        value = self.find(name)
        if value is None:
            return None
        if not isinstance(value, list) or not all(
            isinstance(one, int) and 0 <= int(one) <= MAX_SIZE for one in value
        ):
            raise self.refused(name, value, _("a list of whole numbers"))
        return tuple(int(one) for one in value[: MAX_LAYERS + 1])

    def section(self, name: str) -> Mapping[str, Any]:
        """A nested object, empty where it is missing."""
        value = self.find(name)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.refused(name, value, _("an object"))
        return value

    def within(self, name: str) -> ModelConfig:
        """A nested object as a configuration of its own. Raises ``ModelError``."""
        inner = self.section(name)
        return ModelConfig(inner, inner, f"{self.place}: {name}")

    @property
    def layers(self) -> int:
        """How many hidden layers the language model has."""
        return self.integer(
            "num_hidden_layers", "n_layer", "n_layers", "num_layers", high=MAX_LAYERS
        )

    def types(self, *names: str, default: Sequence[str]) -> tuple[str, ...]:
        """One word per layer, from the file or else by the family's own rule."""
        given = self.words(*names)
        if given is None:
            return tuple(default)
        if len(given) < self.layers:
            raise ModelError(
                _(
                    "{place}: '{name}' names {given} layers, the model has {layers}",
                    place=self.place,
                    name=names[0],
                    given=len(given),
                    layers=self.layers,
                )
            )
        return given[: self.layers]

    def refused(self, name: str, value: object, wanted: str) -> ModelError:
        return ModelError(
            _(
                "{place}: '{name}' is {value}, not {wanted}",
                place=self.place,
                name=name,
                value=visible(repr(value), limit=80),
                wanted=wanted,
            )
        )


def model_config(value: object, place: str) -> ModelConfig:
    """The configuration of a parsed config.json. Raises ``ModelError``."""
    if not isinstance(value, dict):
        raise ModelError(_("{place} is not a JSON object", place=place))
    text: Mapping[str, Any] = value
    for _depth in range(2):
        # Omni models nest twice: thinker_config holds a text_config.
        inner = next((text[n] for n in _SECTIONS if isinstance(text.get(n), dict)), None)
        if inner is None:
            break
        text = inner
    return ModelConfig(value, text, place)

"""Settings with which opencode 1.18.33 does not start, or answers nothing (observed)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from doctor.clients.opencode_layers import list_in_effect, merged_names
from doctor.clients.opencode_provider import Provider
from doctor.clients.opencode_source import Source
from doctor.facts.settings import Unsupported
from doctor.text import _
from doctor.untrusted import visible

CLIENT = "opencode"
_TEXTS = (("npm",), ("options", "baseURL"), ("options", "apiKey"))


def refused(read: tuple[Source, ...], providers: tuple[Provider, ...]) -> Iterator[Unsupported]:
    """``providers`` are those that may be asked; the only one is that of the chosen model."""
    for source in read:
        yield from _misnamed(source)
        for name, table in source.file.table("provider").items():
            if isinstance(table, Mapping):
                yield from _provider(source, name)
    if len(providers) == 1:
        for provider in providers:
            yield from _switched_off(provider)
            yield from _unlisted(provider)


def _misnamed(source: Source) -> Iterator[Unsupported]:
    """``providers``, which opencode passes over without a word."""
    if source.file.table("providers"):
        yield Unsupported(
            CLIENT,
            "providers",
            source.file.origin("providers"),
            _("opencode reads the table provider, without an s, and nothing of this one."),
            _("Rename it to provider."),
        )


def _provider(source: Source, name: str) -> Iterator[Unsupported]:
    for keys in _TEXTS:
        value = source.at("provider", name, *keys)
        if value is not None and not isinstance(value, str):
            yield _fatal(
                source,
                ("provider", name, *keys),
                _("It must be a text in quotes."),
            )
    for model in source.file.table("provider", name, "models"):
        where = ("provider", name, "models", model, "limit")
        limit = source.at(*where)
        if not isinstance(limit, Mapping):
            continue
        for key in ("context", "output"):
            if key not in limit:
                yield _fatal(
                    source,
                    where,
                    _("The limit of a model needs {name}.", name=key),
                    _("Write both context and output, in tokens, or no limit at all."),
                )


def _switched_off(provider: Provider) -> Iterator[Unsupported]:
    for key, wrong in (("disabled_providers", True), ("enabled_providers", False)):
        found = list_in_effect(provider.sources, key)
        if found is None or (provider.name in found[1]) is not wrong:
            continue
        yield _fatal(
            found[0],
            (key,),
            _("It switches the provider of the chosen model off."),
        )


def _unlisted(provider: Provider) -> Iterator[Unsupported]:
    """A provider that only the settings know has the models that they list, and no others."""
    model = provider.model
    own = provider.texts("npm") and provider.texts("options", "baseURL")
    if model is None or not own:
        return
    listed = merged_names(provider.sources, "provider", provider.name, "models")
    if model.value in listed:
        return
    shown, wanted = visible(provider.name, 60), visible(model.value, 100)
    yield Unsupported(
        CLIENT,
        "model",
        model.origin,
        _("The provider {name} lists no model {model}.", name=shown, model=wanted),
        _('Add "{model}" to models of provider.{name}.', name=shown, model=wanted),
        fatal=True,
    )


def _fatal(source: Source, keys: tuple[str, ...], reason: str, instead: str = "") -> Unsupported:
    name = visible(".".join(keys), 200)
    return Unsupported(CLIENT, name, source.origin(*keys), reason, instead, fatal=True)

"""``dataclass`` as the standard library has it, at a tenth of what defining a class costs there.

The standard one writes the source of ``__init__``, ``__eq__`` and four more methods and compiles
each, for every class at every start; with some 150 classes that was the largest part of a healthy
run. Here the standard one makes fields, slots and ``__match_args__`` only, and the methods are
closures over the fields. The result is a dataclass to ``fields``, ``replace`` and ``asdict``, to
``match``, to cattrs and to type checkers.

In exchange an object takes a few microseconds longer to make, and ``inspect.signature`` cannot
name the arguments. A class whose objects come by the hundred thousand is better defined with the
standard decorator.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

__all__ = ["dataclass"]

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(*, slots: bool, frozen: bool = False) -> Callable[[type[T]], type[T]]:
        """Only classes with slots; the argument is there to be seen by whoever reads the class."""
        if not slots:
            raise TypeError("a class without slots is for the standard decorator")
        return lambda cls: _defined(cls, frozen)


def _defined(cls: type[Any], frozen: bool) -> type[Any]:
    # Where a class has an __eq__, Python itself sets __hash__ to None.
    written = {name for name, value in vars(cls).items() if (name, value) != ("__hash__", None)}
    if cls.__doc__ is None:
        # The standard one would spell out the signature, which costs more than all the rest.
        cls.__doc__ = cls.__name__
    made = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    fields = dataclasses.fields(made)
    methods = {"__init__": _init(made, fields), "__repr__": _repr(fields), **_equality(fields)}
    if frozen:
        methods |= _FROZEN
    else:
        methods["__hash__"] = None
    for name, method in methods.items():
        if name not in written:
            setattr(made, name, method)
    return made


def _init(cls: type[Any], fields: tuple[Field[Any], ...]) -> Callable[..., None]:
    accepted = tuple(field.name for field in fields if field.init)
    defaults = {f.name: f.default for f in fields if f.default is not MISSING}
    factories = {f.name: f.default_factory for f in fields if f.default_factory is not MISSING}
    finishes = hasattr(cls, "__post_init__")

    def __init__(self: Any, /, *args: Any, **named: Any) -> None:
        given = dict(zip(accepted, args, strict=False))
        if len(args) > len(accepted):
            raise TypeError(f"{cls.__name__} takes {len(accepted)} values, not {len(args)}")
        for name in named:
            if name in given or name not in accepted:
                raise TypeError(f"{cls.__name__} got {name!r} twice or has no such field")
        values = {**defaults, **given, **named}
        for field in fields:
            if field.name in values:
                value = values[field.name]
            elif field.name in factories:
                value = factories[field.name]()
            elif field.init:
                raise TypeError(f"{cls.__name__} lacks {field.name!r}")
            else:
                continue  # __post_init__ sets it
            object.__setattr__(self, field.name, value)
        if finishes:
            self.__post_init__()

    return __init__


def _repr(fields: tuple[Field[Any], ...]) -> Callable[[Any], str]:
    shown = [field.name for field in fields if field.repr]

    def __repr__(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({values})"

    return __repr__


def _equality(fields: tuple[Field[Any], ...]) -> dict[str, Any]:
    names = [field.name for field in fields if field.compare]
    key: Callable[[Any], Any] = attrgetter(*names) if names else lambda _self: ()

    def __eq__(self: Any, other: object) -> Any:
        return key(self) == key(other) if type(other) is type(self) else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(key(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def _refuse_to_set(self: Any, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_FROZEN = {
    "__setattr__": _refuse_to_set,
    "__delattr__": _refuse_to_delete,
    # Copying and unpickling would set the attributes one by one.
    "__getstate__": _state,
    "__setstate__": _restore,
}

"""A class of ``doctor.records`` behaves like one of the standard decorator."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 0
    seen: list[str] = field(default_factory=list, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Derived:
    """Derives one field of another."""

    name: str
    upper: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "upper", self.name.upper())


@dataclass(slots=True)
class Counter:
    count: int = 0


@dataclass(frozen=True, slots=True)
class ById:
    id: str
    text: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ById) and self.id == other.id

    def __repr__(self) -> str:
        return f"<{self.id}>"


@dataclass(frozen=True, slots=True)
class Empty:
    """No fields at all."""


@dataclass(frozen=True, slots=True)
class StandardLike:
    a: int
    b: str | None = None
    c: tuple[int, ...] = ()


Standard = dataclasses.make_dataclass(
    "StandardLike",
    [("a", int), ("b", "str | None", None), ("c", "tuple[int, ...]", ())],
    frozen=True,
    slots=True,
)


def build(cls: Any, args: list[int], named: dict[str, int]) -> str:
    try:
        return repr(cls(*args, **named))
    except TypeError:
        return "TypeError"


@given(
    st.lists(st.integers(), max_size=4),
    st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), st.integers()),
)
def test_arguments_are_taken_and_refused_as_by_the_standard_one(
    args: list[int], named: dict[str, int]
) -> None:
    assert build(StandardLike, args, named) == build(Standard, args, named)


@given(st.tuples(*[st.integers(0, 2)] * 2), st.tuples(*[st.integers(0, 2)] * 2))
def test_equality_and_hash_are_those_of_the_compared_fields(
    one: tuple[int, int], other: tuple[int, int]
) -> None:
    left, right = Point(*one, seen=["left"]), Point(*other, seen=["right"])

    assert (left == right) is (one == other)
    assert (hash(left) == hash(right)) is (hash(one) == hash(other))


def test_classes_of_equal_fields_are_not_equal() -> None:
    zero: object = Point(0)

    assert Counter(0) != zero
    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())


def test_repr_shows_the_fields_that_are_to_be_shown() -> None:
    assert repr(Point(1, 2, ["hidden"])) == "Point(x=1, y=2)"


def test_a_default_factory_makes_a_new_value_each_time() -> None:
    first, second = Point(1), Point(1)
    first.seen.append("first")

    assert second.seen == []


def test_a_frozen_object_cannot_be_changed() -> None:
    point: Any = Point(1)

    with pytest.raises(FrozenInstanceError, match="'x'"):
        point.x = 2
    with pytest.raises(FrozenInstanceError, match="'x'"):
        del point.x
    with pytest.raises(AttributeError):
        point.z = 3


def test_an_object_that_is_not_frozen_can_be_changed_and_has_no_hash() -> None:
    counter = Counter()
    counter.count += 1

    assert counter == Counter(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)


def test_there_are_slots_and_no_dictionary() -> None:
    assert not hasattr(Point(1), "__dict__")


def test_a_field_of_post_init_is_filled_after_the_others() -> None:
    derived = Derived("abc")

    assert derived.upper == "ABC"
    with pytest.raises(TypeError):
        Derived("abc", upper="XYZ")  # type: ignore[call-arg]
    assert dataclasses.replace(derived, name="d").upper == "D"


def test_what_a_class_defines_itself_stays() -> None:
    assert ById("a", "one") == ById("a", "two")
    assert repr(ById("a")) == "<a>"


def test_it_is_a_dataclass_to_the_standard_library() -> None:
    point = Point(1, 2, ["s"])

    assert dataclasses.is_dataclass(Point)
    assert dataclasses.asdict(point) == {"x": 1, "y": 2, "seen": ["s"]}
    assert dataclasses.replace(point, y=3) == Point(1, 3)
    match point:
        case Point(x, y):
            assert (x, y) == (1, 2)


def test_copies_and_pickles_are_equal() -> None:
    derived = Derived("abc")

    assert copy.copy(derived) == derived
    assert copy.deepcopy(derived) == derived
    assert pickle.loads(pickle.dumps(derived)) == derived


def test_a_class_without_slots_is_refused() -> None:
    with pytest.raises(TypeError, match="slots"):
        dataclass(slots=False)(type("Loose", (), {}))

"""The dataclasses of treecli behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any, ClassVar

import pytest

from treecli import records


def _classes(dataclass: Any) -> dict[str, Any]:
    """Classes of every form that treecli uses, made by one of the two decorators."""

    @dataclass(frozen=True, slots=True)
    class Point:
        """Two numbers."""

        KIND: ClassVar[str] = "point"

        x: float
        y: float = 0.0

        def moved(self) -> Any:
            return dataclasses.replace(self, x=self.x + 1)

    @dataclass(frozen=True, slots=True)
    class Named(Point):
        """A point with more fields, some not in the constructor, in texts or in comparisons."""

        name: str = field(kw_only=True)
        labels: tuple[str, ...] = field(default=(), compare=False, metadata={"help": "names"})
        cache: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)
        n_labels: int = field(init=False)

        def __post_init__(self) -> None:
            object.__setattr__(self, "n_labels", len(self.labels))

    @dataclass(slots=True)
    class Mutable:
        """Fields that change."""

        items: list[int] = field(default_factory=list)
        count: int = 0

    @dataclass(frozen=True)
    class Open:
        """Without slots."""

        value: int
        other: int = 3

    @dataclass(frozen=True, slots=True, eq=False)
    class Identity:
        """Compared by identity."""

        value: int

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Keywords:
        """Only named arguments."""

        first: int
        second: int = 2

    @dataclass(frozen=True, slots=True)
    class Own:
        """Its own functions stay."""

        value: int

        def __repr__(self) -> str:
            return "own"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own)

        def __hash__(self) -> int:
            return 7

    @dataclass(frozen=True, slots=True)
    class Empty:
        """No fields."""

    return {name: value for name, value in locals().items() if isinstance(value, type)}


STANDARD, RECORDS = _classes(dataclasses.dataclass), _classes(records.dataclass)

CASES: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Point", (1.5,), {}),
    ("Point", (1.5, 2.0), {}),
    ("Point", (), {"y": 1.0, "x": 2.0}),
    ("Named", (1.0,), {"name": "a"}),
    ("Named", (1.0, 2.0, ("p", "q")), {"name": "a"}),
    ("Mutable", (), {}),
    ("Mutable", ([1, 2],), {"count": 4}),
    ("Open", (1,), {}),
    ("Identity", (1,), {}),
    ("Keywords", (), {"first": 1}),
    ("Own", (1,), {}),
    ("Empty", (), {}),
]


@pytest.mark.parametrize(("name", "values", "named"), CASES, ids=str)
def test_instances_have_the_fields_texts_and_hashes_of_standard_ones(
    name: str, values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    ours, standard = RECORDS[name](*values, **named), STANDARD[name](*values, **named)
    assert repr(ours) == repr(standard)
    assert dataclasses.asdict(ours) == dataclasses.asdict(standard)
    new = _classes(records.dataclass)[name]
    for _ in range(records.FEW_INSTANCES + 1):
        assert repr(new(*values, **named)) == repr(standard)
    assert (ours == RECORDS[name](*values, **named)) == (standard == STANDARD[name](*values, **named))
    assert ours != standard or name == "Own"
    if name == "Mutable":
        with pytest.raises(TypeError, match="unhashable"):
            hash(ours)
    elif name != "Identity":
        assert hash(ours) == hash(standard)


def test_the_constructor_of_few_instances_is_not_compiled() -> None:
    point = _classes(records.dataclass)["Point"]
    for _ in range(records.FEW_INSTANCES):
        point(1.0)
    assert point.__init__.__code__.co_filename == records.__file__
    point(1.0)
    assert point.__init__.__code__.co_filename == "<string>"


@pytest.mark.parametrize("name", STANDARD)
def test_the_standard_functions_see_the_same_class(name: str) -> None:
    ours, standard = RECORDS[name], STANDARD[name]
    assert dataclasses.is_dataclass(ours)
    for own, expected in zip(dataclasses.fields(ours), dataclasses.fields(standard), strict=True):
        for part in ("name", "type", "default", "init", "repr", "compare", "kw_only", "metadata"):
            assert getattr(own, part) == getattr(expected, part), (own.name, part)
    assert ours.__match_args__ == standard.__match_args__
    assert hasattr(ours, "__slots__") == hasattr(standard, "__slots__")
    assert ours.__dict__.get("__slots__") == standard.__dict__.get("__slots__")
    assert ours.__doc__ == standard.__doc__
    assert ours.__qualname__ == standard.__qualname__


@pytest.mark.parametrize("classes", [RECORDS, STANDARD], ids=["ours", "standard"])
def test_equality_leaves_out_fields_that_are_not_compared(classes: dict[str, Any]) -> None:
    named = classes["Named"]
    assert named(1.0, labels=("p",), name="a") != named(1.0, name="a")  # n_labels is compared
    assert named(1.0, labels=("p",), name="a") == named(1.0, labels=("q",), name="a")
    assert named(1.0, name="a") != named(1.0, name="b")
    assert classes["Identity"](1) != classes["Identity"](1)


@pytest.mark.parametrize("classes", [RECORDS, STANDARD], ids=["ours", "standard"])
def test_frozen_instances_refuse_changes(classes: dict[str, Any]) -> None:
    for name in ("Point", "Open"):
        made = classes[name](1)
        first = dataclasses.fields(made)[0].name
        with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{first}'"):
            setattr(made, first, 2)
        with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{first}'"):
            delattr(made, first)
    changed = classes["Mutable"]()
    changed.count = 5
    assert changed.count == 5
    assert changed.items is not classes["Mutable"]().items


@pytest.mark.parametrize("classes", [RECORDS, STANDARD], ids=["ours", "standard"])
def test_replaced_and_copied_instances_keep_their_other_fields(classes: dict[str, Any]) -> None:
    point = classes["Point"](1.0, 2.0)
    assert point.moved() == classes["Point"](2.0, 2.0)
    named = classes["Named"](1.0, labels=("p",), name="a")
    assert dataclasses.replace(named, labels=()).n_labels == 0
    assert copy.copy(named) == named
    assert copy.deepcopy(named) == named
    with pytest.raises(ValueError, match="cache"):
        dataclasses.replace(named, cache={})


@pytest.mark.parametrize("dataclass", [records.dataclass, dataclasses.dataclass], ids=["ours", "standard"])
@pytest.mark.parametrize(
    ("name", "values", "named"),
    [
        ("Point", (), {}),
        ("Point", (1, 2, 3), {}),
        ("Point", (1,), {"z": 2}),
        ("Point", (1,), {"x": 2}),
        ("Named", (1,), {}),
        ("Named", (1,), {"name": "a", "cache": {}}),
        ("Keywords", (1,), {}),
        ("Empty", (1,), {}),
    ],
)
def test_wrong_arguments_are_a_type_error(
    dataclass: Any, name: str, values: tuple[Any, ...], named: dict[str, Any]
) -> None:
    made = _classes(dataclass)[name]
    for _ in range(2):
        with pytest.raises(TypeError, match=rf"{name}\.__init__"):
            made(*values, **named)


def test_a_standard_dataclass_can_extend_one_of_ours() -> None:
    base = RECORDS["Open"]

    @dataclasses.dataclass(frozen=True)
    class Extended(base):  # type: ignore[misc,valid-type]
        last: int = 9

    assert dataclasses.astuple(Extended(1)) == (1, 3, 9)
    with pytest.raises(TypeError, match="frozen"):
        dataclasses.dataclass(type("Thawed", (base,), {"__annotations__": {}}))


@records.dataclass(frozen=True, slots=True)
class Pickled:
    """A class that pickle can find."""

    name: str
    parts: tuple[int, ...] = ()
    n_parts: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_parts", len(self.parts))


def test_instances_are_pickled() -> None:
    made = Pickled("a", (1, 2))
    assert pickle.loads(pickle.dumps(made)) == made

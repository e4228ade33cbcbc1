"""Dataclasses whose functions are compiled when they have been used a few times.

`dataclasses.dataclass` compiles up to six functions for every class that is defined, 0.6 ms each time; a small command
defines a hundred, uses a third of them, and makes one or two instances of most. This decorator takes the same arguments
and gives the same classes: `fields`, `replace`, `asdict` and pickling work as usual.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass
else:

    def dataclass(
        *, frozen: bool = False, slots: bool = False, eq: bool = True, kw_only: bool = False
    ) -> Callable[[type], type]:
        """Return the decorator of a class; the arguments are those of `dataclasses.dataclass`."""

        def decorate(cls: type) -> type:
            return _decorated(cls, frozen, slots, eq, kw_only)

        return decorate


__all__ = ["dataclass"]

FEW_INSTANCES = 16
"""So many instances get their fields one by one; compiling `__init__` takes as long as that does for forty."""


def _decorated(cls: Any, is_frozen: bool, has_slots: bool, has_eq: bool, is_kw_only: bool) -> Any:
    fields_of_name: dict[str, Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited = base.__dict__.get("__record_fields__") or base.__dict__.get("__dataclass_fields__")
        fields_of_name |= inherited or {}
    own = {name: text for name, text in cls.__annotations__.items() if not str(text).startswith("ClassVar")}
    for name, text in own.items():
        fields_of_name[name] = _field(name, text, cls.__dict__.get(name, MISSING), is_kw_only)
    if has_slots:
        cls = _with_slots(cls, list(own))
    else:
        _set_defaults(cls, [fields_of_name[name] for name in own])
    cls.__record_fields__ = fields_of_name
    # Computed when `dataclasses` asks for them.
    cls.__dataclass_fields__ = _Standard(cls, "__dataclass_fields__", {"eq": False})
    cls.__dataclass_params__ = _Standard(cls, "__dataclass_params__", {"eq": has_eq, "frozen": is_frozen})
    fields = list(fields_of_name.values())
    names = tuple(fields_of_name)
    _add_functions(cls, fields, is_frozen, has_slots)
    if is_frozen:
        _freeze(cls, names)
    if is_frozen and has_slots:
        _add_pickling(cls, names)
    if has_eq:
        _add_comparison(cls, [each.name for each in fields if each.compare], is_frozen)
    return cls


def _field(name: str, text: Any, value: Any, is_kw_only: bool) -> Field[Any]:
    """Return the field of an annotation and the value beside it."""
    found: Field[Any] = value if isinstance(value, Field) else field(default=value)
    found.name = name
    found.type = text
    if found.kw_only is MISSING:
        found.kw_only = is_kw_only
    return found


def _with_slots(cls: Any, own: list[str]) -> Any:
    """Return a copy of the class with slots for its own fields; a class cannot get slots later."""
    inherited = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    members = {name: value for name, value in cls.__dict__.items() if name not in (*own, "__dict__", "__weakref__")}
    members["__slots__"] = tuple(name for name in own if name not in inherited)
    made = type(cls)(cls.__name__, cls.__bases__, members)
    made.__qualname__ = cls.__qualname__
    return made


def _set_defaults(cls: Any, own: list[Field[Any]]) -> None:
    for each in own:
        if each.default is not MISSING:
            setattr(cls, each.name, each.default)
        elif each.name in cls.__dict__:
            delattr(cls, each.name)


class _Standard:
    """An attribute of the class that `dataclasses.dataclass` would make, made at its first use."""

    def __init__(self, cls: Any, name: str, arguments: dict[str, bool]) -> None:
        self._cls = cls
        self._name = name
        self._arguments = arguments

    def __get__(self, instance: object, owner: type) -> Any:
        from dataclasses import dataclass as standard

        fields = self._cls.__record_fields__
        annotations = {name: each.type for name, each in fields.items()}
        members = {"__annotations__": annotations, "__doc__": "…", "__module__": self._cls.__module__, **fields}
        made: Any = standard(init=False, repr=False, match_args=False, **self._arguments)(type("Standard", (), members))
        value = getattr(made, self._name)
        setattr(self._cls, self._name, value)
        return value


def _add_functions(cls: Any, fields: list[Field[Any]], is_frozen: bool, has_slots: bool) -> None:
    n_instances = 0
    assign: Callable[[Any, str, Any], None] = object.__setattr__ if is_frozen else setattr
    has_more = hasattr(cls, "__post_init__")

    def initialize(self: Any, *values: Any, **named: Any) -> None:
        nonlocal n_instances
        n_instances += 1
        value_of_name = _values(fields, values, named, has_slots) if n_instances <= FEW_INSTANCES else None
        if value_of_name is None:
            cls.__init__ = _initializer(cls, fields, is_frozen, has_slots)
            cls.__init__(self, *values, **named)
            return
        for name, value in value_of_name.items():
            assign(self, name, value)
        if has_more:
            self.__post_init__()

    def represent(self: Any) -> str:
        shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields if each.repr)
        return f"{type(self).__qualname__}({', '.join(shown)})"

    cls.__init__ = initialize
    setattr(cls, "__match_args__", tuple(each.name for each in fields if each.init and not each.kw_only))  # noqa: B010 (mypy)
    if "__repr__" not in cls.__dict__:
        cls.__repr__ = represent


def _freeze(cls: Any, names: tuple[str, ...]) -> None:
    def refuse_to_set(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def refuse_to_delete(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    cls.__setattr__ = refuse_to_set
    cls.__delattr__ = refuse_to_delete


def _add_pickling(cls: Any, names: tuple[str, ...]) -> None:
    """Add the functions that pickle and copy need, which would set the fields of a frozen instance one by one."""

    def state(self: Any) -> list[Any]:
        return [getattr(self, name) for name in names]

    def restore(self: Any, values: list[Any]) -> None:
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    for name, function in (("__getstate__", state), ("__setstate__", restore)):
        if name not in cls.__dict__:
            setattr(cls, name, function)


def _add_comparison(cls: Any, names: list[str], is_frozen: bool) -> None:
    def equals(self: Any, other: Any) -> Any:
        own, others = (f"({''.join(f'{who}.{name}, ' for name in names)})" for who in ("self", "other"))
        lines = ["if other.__class__ is self.__class__:", f" return {own} == {others}", "return NotImplemented"]
        cls.__eq__ = _compiled(cls, "__eq__", ["self", "other"], lines, {})
        return cls.__eq__(self, other)

    def hashed(self: Any) -> int:
        values = "".join(f"self.{name}, " for name in names)
        cls.__hash__ = _compiled(cls, "__hash__", ["self"], [f"return hash(({values}))"], {})
        return cls.__hash__(self)  # type: ignore[no-any-return]

    own = cls.__dict__
    has_own_hash = own.get("__hash__") is not None or ("__hash__" in own and "__eq__" not in own)
    if "__eq__" not in own:
        cls.__eq__ = equals
    if not has_own_hash:
        cls.__hash__ = hashed if is_frozen else None


def _values(
    fields: list[Field[Any]], values: tuple[Any, ...], named: dict[str, Any], has_slots: bool
) -> dict[str, Any] | None:
    """Return the values of an instance's fields; None if the arguments do not fit, which Python then reports."""
    by_place = [each.name for each in fields if each.init and not each.kw_only]
    given = dict(zip(by_place, values, strict=False)) | named
    if len(given) < len(values) + len(named):
        return None
    found = {}
    for each in fields:
        if each.init and each.name in given:
            found[each.name] = given.pop(each.name)
        elif each.default_factory is not MISSING:
            found[each.name] = each.default_factory()
        elif each.default is not MISSING and (each.init or has_slots):
            found[each.name] = each.default
        elif each.init:
            return None
    return None if given else found


def _initializer(cls: Any, fields: list[Field[Any]], is_frozen: bool, has_slots: bool) -> Any:
    """Return the function `__init__` of a class."""
    names: dict[str, Any] = {"_MISSING": MISSING, "_set": object.__setattr__}
    by_place: list[str] = []
    by_name: list[str] = []
    lines = []
    for each in fields:
        name, value = each.name, each.name
        if each.default is not MISSING:
            names[f"_default_{name}"] = each.default
            parameter = f"{name}=_default_{name}"
        elif each.default_factory is not MISSING:
            names[f"_made_{name}"] = each.default_factory
            parameter = f"{name}=_MISSING"
            value = f"_made_{name}() if {name} is _MISSING else {name}"
        else:
            parameter = name
        if each.init:
            (by_name if each.kw_only else by_place).append(parameter)
        elif each.default_factory is not MISSING:
            value = f"_made_{name}()"
        elif each.default is not MISSING and has_slots:
            value = f"_default_{name}"
        else:
            continue
        if not is_frozen:
            lines.append(f"self.{name} = {value}")
        elif has_slots:
            names[f"_set_{name}"] = getattr(cls, name).__set__
            lines.append(f"_set_{name}(self, {value})")
        else:
            lines.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ["self", *by_place, *(["*", *by_name] if by_name else [])]
    return _compiled(cls, "__init__", parameters, lines, names)


def _compiled(cls: Any, name: str, parameters: list[str], lines: list[str], names: dict[str, Any]) -> Any:
    """Return a function of a class, from its lines and the values of other names in them."""
    exec(f"def {name}({', '.join(parameters)}):\n " + "\n ".join(lines or ["pass"]), names)
    made = names[name]
    made.__qualname__ = f"{cls.__qualname__}.{name}"
    made.__module__ = cls.__module__
    return made

# Copyright 2026 The biped_slip authors
# SPDX-License-Identifier: Apache-2.0
"""Configurations: frozen dataclasses with unit, range, source and meaning per field.

One definition serves Python, YAML, ROS parameters, the generated reference table and
the compiled kernels::

    @configuration
    class HuntCrossleyConfig(Configuration):
        \"\"\"Normal force of a contact point (A.7).\"\"\"

        stiffness: float = parameter(
            5.0e4, unit="N/m", above=0.0, source="A.7", doc="linear stiffness"
        )
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import warnings
from collections import namedtuple
from functools import cache, cached_property
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Iterable,
    Iterator,
    Mapping,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import yaml

from biped_slip.bounded_files import load_yaml, read_text
from biped_slip.errors import BipedSlipError, InvalidParameter, UnknownName

if TYPE_CHECKING:
    from typing_extensions import Self, dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:  # noqa: D103
        return lambda decorated: decorated


@dataclasses.dataclass(frozen=True)
class Limits:
    """Limits of a parameter: a range or choices.

    A range has inclusive (``low``/``high``) and exclusive (``above``/``below``) limits.
    """

    unit: str = "-"
    low: float = -math.inf
    high: float = math.inf
    above: float = -math.inf
    below: float = math.inf
    choices: tuple[Any, ...] = ()
    source: str = ""
    doc: str = ""
    read_only: bool = True
    safe_direction: str = (
        ""  # "lower" or "higher": the way in which it may change while it is in use
    )
    formerly: str = (
        ""  # name of the field in the release before, which is still accepted
    )

    @property
    def live(self) -> bool:
        """Return whether the parameter may change while its node is active."""
        return bool(self.safe_direction) or not self.read_only

    def contains(self, value: object) -> bool:
        """Return whether a value is finite and inside the range, or among the choices.

        Of a tuple every item must be so.
        """
        if isinstance(value, (tuple, list)):
            return all(self.contains(item) for item in value)
        if self.choices:
            return value in self.choices
        if isinstance(value, (bool, str)) or value is None:
            return True
        number = cast(float, value)
        return (
            math.isfinite(number)
            and self.low <= number <= self.high
            and self.above < number < self.below
        )

    def __str__(self) -> str:
        words = self.accepted
        return words if self.choices or self.unit == "-" else f"{words} [{self.unit}]"

    @property
    def accepted(self) -> str:
        """Return the accepted values in words, without the unit."""
        if self.choices:
            return "one of " + ", ".join(map(repr, self.choices))
        bounds = [
            f"{sign} {bound:g}"
            for sign, bound in (
                (">=", self.low),
                (">", self.above),
                ("<=", self.high),
                ("<", self.below),
            )
            if math.isfinite(bound)
        ]
        return "finite" + (" and " if bounds else "") + " and ".join(bounds)


def parameter(
    default: Any = dataclasses.MISSING,
    *,
    unit: str = "-",
    low: float = -math.inf,
    high: float = math.inf,
    above: float = -math.inf,
    below: float = math.inf,
    choices: tuple[Any, ...] = (),
    source: str = "choice",
    doc: str = "",
    read_only: bool = True,
    safe_direction: str = "",
    formerly: str = "",
) -> Any:
    """Declare a configuration field with its unit, accepted range, source and meaning.

    Args:
        default: value of the field, or of each item of a tuple's default.
        unit: of SI, "-" for none.
        low: inclusive lower end of the range.
        high: inclusive upper end.
        above: exclusive lower end.
        below: exclusive upper end.
        choices: accepted values, in place of a range.
        source: key of an equation, study or work (docs/equations: how to cite), or
            "choice".
        doc: meaning, for tables and ``ros2 param describe``.
        read_only: whether a running node refuses to change it.
        safe_direction: "lower" or "higher": the only way in which an active node
            accepts a change.
        formerly: its name in the release before, accepted with a warning.
    """
    limits = Limits(
        unit=unit,
        low=low,
        high=high,
        above=above,
        below=below,
        choices=choices,
        source=source,
        doc=doc,
        read_only=read_only,
        safe_direction=safe_direction,
        formerly=formerly,
    )
    return dataclasses.field(default=default, metadata={"limits": limits})


def section(kind: type[Any], formerly: str = "") -> Any:
    """Declare a nested configuration with its own defaults.

    Args:
        kind: class of the configuration.
        formerly: its name in the release before, accepted with a warning.
    """
    return dataclasses.field(
        default_factory=kind,
        metadata={"limits": Limits(formerly=formerly)} if formerly else {},
    )


def renaming(old: str, new: str) -> str:
    """Describe the new name of a parameter or option in one sentence."""
    return f"{old} is now called {new}; the old name goes with the next release"


@cache
def type_hints(kind: type[Any]) -> dict[str, Any]:
    """Look up the types of a class's fields.

    They are cached, since this is the slowest step of a configuration.
    """
    return get_type_hints(kind)


Decorated = TypeVar("Decorated", bound=type)


@dataclass_transform(frozen_default=True)
def configuration(cls: Decorated) -> Decorated:
    """Make a class a frozen dataclass with validated fields.

    It gets a ``Packed`` NamedTuple twin for kernels, and its docstring the fields with
    their meaning, unit, range and source.

    Args:
        cls: whose fields are made by :func:`parameter` and :func:`section`.
    """
    made: Any = dataclasses.dataclass(frozen=True)(cls)
    hints = get_type_hints(made)
    names = [
        field.name for field in dataclasses.fields(made) if hints[field.name] is not str
    ]
    # a name of its own: numba's quick look-up of argument types tells NamedTuples apart
    # by name alone
    packed = namedtuple(f"{made.__name__}Packed", names)  # type: ignore[misc]
    packed.__module__ = made.__module__
    packed.__qualname__ = f"{made.__qualname__}.Packed"
    made.Packed = packed
    made.__doc__ = _with_fields(made, hints)
    return cast(Decorated, made)


# what a field of these types takes, beside choices
TYPES = {"bool": "true or false", "str": "a text"}


def _with_fields(made: Any, hints: Mapping[str, Any]) -> str:
    """Return the docstring of a configuration with its fields."""
    words = []
    for field in dataclasses.fields(made):
        limits = field.metadata.get("limits", Limits())
        kind = getattr(hints[field.name], "__name__", "")
        unit = f"[{limits.unit}]; " if limits.unit not in ("-", "") else ""
        values = limits.accepted if limits.choices else TYPES.get(kind, limits.accepted)
        words.append(
            f"    {field.name}: {limits.doc}; {unit}{values}; {limits.source}."
            if limits.doc
            else f"    {field.name}: see :class:`{kind}`."
        )
    own = inspect.cleandoc(made.__doc__ or "")
    return "\n".join([own, "", "Attributes:", *words] if words else [own])


class Configuration:
    """Base of all configurations.

    It does validation, conversion from and to mappings, and flat listing.
    """

    def __post_init__(self) -> None:
        hints = type_hints(cast(Any, type(self)))
        for field in dataclasses.fields(cast(Any, self)):
            value = getattr(self, field.name)
            if field.name in hints:
                value = _coerce(
                    f"{type(self).__name__}.{field.name}", hints[field.name], value
                )
                object.__setattr__(self, field.name, value)
            limits = field.metadata.get("limits")
            if (
                limits is not None
                and not isinstance(value, Configuration)
                and not limits.contains(value)
            ):
                raise InvalidParameter(
                    f"{type(self).__name__}.{field.name}",
                    value,
                    str(limits),
                    limits.doc,
                )
        self.check()

    def check(self) -> None:
        """Check conditions between fields; classes override it.

        Raises:
            InvalidParameter: fields that contradict each other.
        """

    @cached_property
    def packed(self) -> Any:
        """Return the numbers of this configuration as nested NamedTuples.

        They are for kernels (text fields left out).
        """
        kind = cast(Any, type(self)).Packed
        return kind(*(_pack(getattr(self, name)) for name in kind._fields))

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any] | None, name: str = "") -> Self:
        """Build from nested dictionaries as YAML gives them.

        Args:
            mapping: values by the names of fields; None: all defaults.
            name: of the whole, which errors put before those of fields.

        Raises:
            UnknownName: no such field.
            InvalidParameter: a wrong type, a value out of its range, or none where one
                is needed.
        """
        mapping = {} if mapping is None else mapping
        if not isinstance(mapping, Mapping):
            raise InvalidParameter(
                name or cls.__name__, mapping, "a mapping of parameter names to values"
            )
        hints = type_hints(cast(Any, cls))
        values = {}
        fields = dataclasses.fields(cast(Any, cls))
        known = [field.name for field in fields]
        renamed = {
            field.metadata["limits"].formerly: field.name
            for field in fields
            if "limits" in field.metadata
        }
        for key, value in mapping.items():
            dotted = f"{name}.{key}" if name else str(key)
            if key and key in renamed:
                warnings.warn(
                    renaming(dotted, renamed[key]), FutureWarning, stacklevel=2
                )
                key = renamed[key]
            if key not in known:
                raise UnknownName(
                    "parameter", dotted, [f"{name}.{k}" if name else k for k in known]
                )
            hint = hints[key]
            if (
                isinstance(hint, type)
                and issubclass(hint, Configuration)
                and not isinstance(value, hint)
            ):
                value = hint.from_mapping(value, dotted)
            values[key] = value
        try:
            return cls(**values)
        except TypeError as error:
            missing = [
                field.name
                for field in dataclasses.fields(cast(Any, cls))
                if field.default is dataclasses.MISSING
                and field.default_factory is dataclasses.MISSING
                and field.name not in values
            ]
            raise InvalidParameter(
                name or cls.__name__, sorted(values), f"complete; missing: {missing}"
            ) from error

    @classmethod
    def from_yaml(cls, path: str | Path) -> Self:
        """Read a YAML file.

        Args:
            path: of the file, which errors name.

        Raises:
            BipedSlipError: the file can't be read.
            UnknownName: no such field.
            InvalidParameter: a wrong type, or a value out of its range.
        """
        return cls.from_mapping(read_yaml(path))

    def to_mapping(self) -> dict[str, Any]:
        """Convert to nested dictionaries, ready for YAML."""
        return dataclasses.asdict(cast(Any, self))

    def flat(self, prefix: str = "") -> Iterator[tuple[str, Any, Limits]]:
        """List every leaf parameter as (dotted name, value, limits).

        ROS parameters need it so.

        Args:
            prefix: of the names.
        """
        for field in dataclasses.fields(cast(Any, self)):
            value = getattr(self, field.name)
            limits = field.metadata.get("limits", Limits())
            if not isinstance(value, Configuration):
                yield f"{prefix}{field.name}", value, limits
                continue
            for name, leaf, of_leaf in value.flat():
                former = (
                    f"{limits.formerly}.{of_leaf.formerly or name}"
                    if limits.formerly
                    else of_leaf.formerly
                )
                yield (
                    f"{prefix}{field.name}.{name}",
                    leaf,
                    dataclasses.replace(of_leaf, formerly=former),
                )


def read_yaml(path: str | Path) -> dict[str, Any]:
    """Read a YAML file as a dictionary, with one sentence when it cannot be read."""
    try:
        loaded = load_yaml(read_text(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BipedSlipError(
            f"{path}: can't be read ({getattr(error, 'strerror', None) or error})"
        ) from error
    except yaml.YAMLError as error:
        raise BipedSlipError(
            f"{path}: not valid YAML ({' '.join(str(error).split())})"
        ) from error
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise BipedSlipError(
            f"{path}: must hold a mapping of names to values, not "
            f"{type(loaded).__name__}"
        )
    return loaded


def _coerce(name: str, hint: Any, value: Any) -> Any:
    """Accept an int where a float is meant and a list where a tuple is.

    Any other mismatch is refused.
    """
    if hint is float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise InvalidParameter(
                name, value, "a number", "check its unit and quoting"
            )
        return float(value)
    if hint is int and (isinstance(value, bool) or not isinstance(value, int)):
        raise InvalidParameter(name, value, "a whole number")
    if hint is bool and not isinstance(value, bool):
        raise InvalidParameter(name, value, "true or false")
    if hint is str and not isinstance(value, str):
        raise InvalidParameter(name, value, "text")
    if get_origin(hint) is tuple:
        return _coerce_items(name, get_args(hint), value)
    return _frozen(value)


def _coerce_items(name: str, hints: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    """Coerce a list, item by item; ``hints`` are the arguments of ``tuple[...]``."""
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        raise InvalidParameter(name, value, "a list")
    items = list(getattr(value, "tolist", lambda: value)())
    kinds = [hints[0]] * len(items) if hints[-1] is Ellipsis else hints
    if len(kinds) != len(items):
        raise InvalidParameter(name, value, f"a list of {len(kinds)}")
    return tuple(
        _coerce(f"{name}[{i}]", kind, item)
        for i, (kind, item) in enumerate(zip(kinds, items, strict=True))
    )


def _frozen(value: Any) -> Any:
    return (
        tuple(_frozen(item) for item in value)
        if isinstance(value, (list, tuple))
        else value
    )


def _pack(value: Any) -> Any:
    if isinstance(value, Configuration):
        return value.packed
    return tuple(_pack(item) for item in value) if isinstance(value, tuple) else value

"""Checks of arguments, with messages that name the argument."""

from __future__ import annotations

import functools
import inspect
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from importlib import metadata
from typing import Any, ParamSpec, TypeVar

import numpy as np

from . import _native
from ._errors import InputanimError, InvalidArgument, UnknownOption
from ._types import Float32Array

_MAX = 2**63 - 1


def number(name: str, value: Any, *, missing: float | None = None) -> float | None:
    """Returns a finite number. Returns None if `value` is None, or is the infinity `missing` that has the same meaning."""
    if value is None:
        return None
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    if found == missing:
        return None
    if isinstance(value, str) or not math.isfinite(found):
        raise InvalidArgument(f"{name}: expected a number, found {value!r}")
    return found


def whole(name: str, value: Any, *, least: int = 0, most: int = _MAX) -> int:
    """Returns a whole number within bounds."""
    try:
        found = operator.index(value)
    except TypeError:
        found = least - 1
    if not least <= found <= most:
        limits = f"of at least {least}" if most == _MAX else f"from {least} to {most}"
        raise InvalidArgument(f"{name}: expected a whole number {limits}, found {value!r}")
    return found


def truth(name: str, value: Any) -> bool:
    """Returns a truth value."""
    if not isinstance(value, bool):
        raise InvalidArgument(f"{name}: expected True or False, found {value!r}")
    return value


def text(name: str, value: Any) -> str | None:
    """Returns a text; None if it is not given."""
    if value is not None and not isinstance(value, str):
        raise InvalidArgument(f"{name}: expected a string, found {value!r}")
    return value


def listed(name: str, given: Any, expected: str, hint: str | None = None) -> list[Any]:
    """Returns a list of anything. One text is a list of one."""
    try:
        return [given] if isinstance(given, str) else list(given)
    except TypeError:
        raise InvalidArgument(f"{name}: expected {expected}, found {given!r}", hint=hint) from None


def numbers(name: str, given: Any, hint: str | None = None) -> list[float]:
    """Returns a list of numbers."""
    found = listed(name, given, "numbers", hint)
    try:
        # `float` would also read texts.
        return [float(item + 0.0) for item in found]
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(f"{name}: expected numbers, found {given!r}", hint=hint) from None


def array(name: str, given: Any) -> Float32Array:
    """Returns an array of numbers in single precision. Numbers beyond its range are infinite."""
    found = np.asarray(given)
    # Objects are numbers, or None, which NumPy converts or refuses. Texts and complex numbers would be converted without error.
    if found.dtype.kind not in "biufO":
        raise InvalidArgument(f"{name}: expected numbers, found {found.dtype.name}")
    try:
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(found, np.float32).reshape(found.shape)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgument(f"{name}: expected numbers, found {type(given).__name__}") from None


def vector(name: str, given: Any, length: int) -> list[float]:
    """Returns a list of some numbers."""
    found = numbers(name, given)
    if len(found) != length:
        raise InvalidArgument(f"{name}: expected {length} numbers, found {len(found)}")
    return found


def names(name: str, given: str | Iterable[str]) -> list[str]:
    """Returns a list of names. One name is a list of one."""
    found = listed(name, given, "names")
    for item in found:
        if not isinstance(item, str):
            raise InvalidArgument(f"{name}: expected names, found {item!r}")
    return found


def mapping(name: str, given: Any) -> Mapping[Any, Any]:
    """Returns a dictionary."""
    if not isinstance(given, Mapping):
        raise InvalidArgument(f"{name}: expected a dictionary, found {given!r}")
    return given


def microseconds(name: str, value: Any) -> int:
    """Returns the microseconds of a time since 1970."""
    if not isinstance(value, datetime) or value.tzinfo is None:
        hint = "datetime(2024, 5, 1, 10, tzinfo=timezone.utc)"
        raise InvalidArgument(f"{name}: expected a time with a time zone, found {value!r}", hint=hint)
    found = (value - datetime(1970, 1, 1, tzinfo=timezone.utc)) // timedelta(microseconds=1)
    if found < 0:
        raise InvalidArgument(f"{name}: expected a time from 1970 on, found {value!r}")
    return found


def ordered(start: float | None, end: float | None) -> tuple[float, float]:
    """Returns the bounds of a time range. A missing bound is infinite."""
    first = -math.inf if start is None else start
    last = math.inf if end is None else end
    if not first <= last:
        raise InvalidArgument(f"the time range {first} s to {last} s ends before it starts")
    return first, last


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Returns the end of a message about an unknown name. It contains the most similar known name, if one is similar."""
    similar = _native.similar(name, list(known))
    return "" if similar is None else f'; did you mean "{similar}"?'


def check_options(given: Iterable[str], known: Sequence[str]) -> None:
    """Raises `UnknownOption` for the first option that is not known. The message has the most similar known option."""
    for name in given:
        if name not in known:
            similar = did_you_mean(name, known) or f"; expected one of {', '.join(known)}"
            raise UnknownOption(f'unknown option "{name}"{similar}') from None


def check_members(name: str, given: Iterable[Any], known: Sequence[str]) -> None:
    """Raises `InvalidArgument` for the first member of the argument `name`, a dictionary, that is not known."""
    for member in given:
        if member not in known:
            similar = did_you_mean(str(member), known) or f"; expected one of {', '.join(known)}"
            raise InvalidArgument(f'{name}: unknown member "{member}"{similar}')


def _packages(name: str) -> list[str]:
    """Returns the packages of an extra, with their versions, from the metadata of this package."""
    try:
        required = metadata.requires("inputanim") or []
    except metadata.PackageNotFoundError:
        return []
    parts = [requirement.partition(";") for requirement in required]
    of_extra = re.compile(rf"""extra\s*==\s*['"]{re.escape(name)}['"]""")
    return [f'"{package.strip()}"' for package, _, condition in parts if of_extra.search(condition)]


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Names the packages of an extra of this package if one of them is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or name).partition(".")[0]
        command = " ".join(["pip install", *(_packages(name) or [missing])])
        message = f"the package {missing} is not installed: {command}"
        raise ModuleNotFoundError(message, name=error.name, path=error.path) from error


_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")
_Class = TypeVar("_Class", bound=type)


def _check_call(function: Callable[..., Any], options: Iterable[str]) -> None:
    """Raises `UnknownOption` if a function has no parameter of the name of an option."""
    parameters = list(inspect.signature(function).parameters.values())
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    check_options(options, [parameter.name for parameter in parameters if parameter.kind in named and parameter.name != "self"])


def checked_call(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Raises `UnknownOption` for an unknown option, for which Python names no similar option before 3.13."""

    @functools.wraps(function)
    def call(*args: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
        try:
            return function(*args, **options)
        except TypeError as error:
            trace = error.__traceback__
            if trace is None or trace.tb_next is None:
                _check_call(function, options)
            raise

    return call


def checked(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Raises `InvalidArgument` for values of a wrong type, for which the native module and NumPy raise several exceptions."""

    @functools.wraps(function)
    def call(*args: _Parameters.args, **options: _Parameters.kwargs) -> _Result:
        try:
            return function(*args, **options)
        except (TypeError, ValueError, OverflowError) as error:
            trace = error.__traceback__
            if isinstance(error, InputanimError):
                raise
            # Other errors of the call itself, such as a missing argument, stay the usual errors of Python.
            if trace is None or trace.tb_next is None:
                _check_call(function, options)
                raise
            # The native module adds the name of the argument as a note. Python 3.10 has no notes.
            notes = " ".join(getattr(error, "__notes__", ()))
            name = re.search(r"^while processing '(\w+)'$", notes)
            raise InvalidArgument(f"{name[1]}: {error}" if name else str(error)) from error

    return call


def checked_methods(cls: _Class) -> _Class:
    """Applies `checked` to the public methods of a class, and `checked_call` to methods that call other packages or functions
    of the caller."""
    for name, method in list(vars(cls).items()):
        if not inspect.isfunction(method) or (name.startswith("_") and name != "__init__"):
            continue
        is_other = name in ("batches", "duckdb", "lazy", "play_openxr", "plot", "view") or name.startswith("to_")
        setattr(cls, name, checked_call(method) if is_other and name != "to_bytes" else checked(method))
    return cls

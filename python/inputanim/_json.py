"""Results of the native module as dictionaries with names in snake case."""

from __future__ import annotations

import json
import math
import re
from functools import lru_cache
from typing import Any, Mapping

from ._errors import InvalidArgument

_CAMEL = re.compile(r"(?<=[a-z0-9])([A-Z])")


@lru_cache(maxsize=None)
def _snake(name: str) -> str:
    # Names of curves and measures have dots, and stay as they are.
    return name if "." in name else _CAMEL.sub(lambda letter: "_" + letter[0].lower(), name)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {_snake(name): value for name, value in pairs}


def loads(text: str) -> Any:
    """Reads a result."""
    return json.loads(text, object_pairs_hook=_pairs)


def _plain(value: object) -> object:
    # Numbers and arrays of NumPy have this method.
    plain: Any = getattr(value, "tolist", None)
    if plain is None:
        raise InvalidArgument(f"expected a number, a string or a list, found {value!r}")
    return plain()


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    # JSON has no such numbers. Their names are texts, and the native module refuses a text with the name of the parameter.
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def parameters(given: Mapping[str, Any] | None) -> Any:
    """Converts parameters for the native module, which checks them."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise InvalidArgument(
            f"parameters: expected a dictionary with names and values, found {given!r}",
            hint='analyse({"channels.rate": 90}) sets a parameter',
        )
    return json.loads(json.dumps(_finite(given), default=_plain))

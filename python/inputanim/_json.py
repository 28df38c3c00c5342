"""Results of the native module as dictionaries with names in snake case."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, Mapping

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


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _nested(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    nested: dict[str, Any] = {}
    for name, part in value.items():
        *groups, last = (_camel(word) for word in name.split("."))
        place = nested
        for group in groups:
            place = place.setdefault(group, {})
        part = _nested(part)
        if isinstance(part, dict) and isinstance(place.get(last), dict):
            place[last].update(part)
        else:
            place[last] = part
    return nested


def parameters(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Converts parameters to the names of the native module."""
    nested = _nested(given or {})
    assert isinstance(nested, dict)
    return nested

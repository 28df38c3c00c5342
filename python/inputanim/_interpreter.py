"""Refuses subinterpreters. Without this, NumPy and the native module would fail with less helpful messages."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def _is_subinterpreter() -> bool:
    # The second name is the name until Python 3.12.
    for name in ("_interpreters", "_xxsubinterpreters"):
        try:
            interpreters: Any = import_module(name)
        except ImportError:
            continue
        return bool(interpreters.get_current() != interpreters.get_main())
    return False


if _is_subinterpreter():
    raise ImportError(
        "inputanim does not support subinterpreters: only the main interpreter of a process can import it\n"
        "hint: use threads or processes, such as concurrent.futures.ProcessPoolExecutor"
    )

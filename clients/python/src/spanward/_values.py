"""Converts values for requests."""

from __future__ import annotations

import base64
import datetime
import enum
import math
from collections.abc import Mapping, Sequence
from typing import Any

import httpx


def to_params(params: Mapping[str, Any] | None) -> httpx.QueryParams:
    """Query parameters: lists repeat their name, None is left out, times are ISO 8601."""
    pairs: list[tuple[str, str | int | float | bool | None]] = []
    for name, value in (params or {}).items():
        for item in value if isinstance(value, (list, tuple, set, frozenset)) else [value]:
            if item is not None:
                pairs.append((name, _text(item)))
    return httpx.QueryParams(pairs)


def without_none(**members: Any) -> dict[str, Any]:
    """A body without the members that are None."""
    return {name: value for name, value in members.items() if value is not None}


def is_id(text: str, kind: str) -> bool:
    """Whether a text has the form of the server's ids of this kind."""
    try:
        return base64.b64decode(text, validate=True).startswith(f"{kind}:".encode())
    except ValueError:
        return False


def in_parts(name: str, values: Sequence[str], size: int = 100) -> list[dict[str, list[str]]]:
    """Splits a list parameter into parts that are short enough for an address."""
    return [{name: list(values[start : start + size])} for start in range(0, len(values), size)]


def is_missing(value: Any) -> bool:
    """None, NaN, and what pandas has for them, which is not asked what it is equal to."""
    if type(value).__name__ in ("NAType", "NaTType"):
        return True
    return value is None or (isinstance(value, float) and math.isnan(value))


def to_wire(value: Any) -> Any:
    """Converts Python values to JSON values: times, enums, sets, pydantic models, numbers of numpy; NaN becomes null."""
    if is_missing(value):
        return None
    if isinstance(value, (bool, int, str)):
        return value.value if isinstance(value, enum.Enum) else value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): to_wire(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_wire(item) for item in value]
    if isinstance(value, enum.Enum):
        return to_wire(value.value)
    if isinstance(value, (datetime.datetime, datetime.date)):
        return _time(value)
    for method in ("model_dump", "tolist", "item"):  # pydantic, numpy
        convert = getattr(value, method, None)
        if callable(convert):
            return to_wire(convert())
    return str(value)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _time(value) if isinstance(value, (datetime.datetime, datetime.date)) else str(value)


def _time(value: datetime.datetime | datetime.date) -> str:
    if isinstance(value, datetime.datetime) and value.tzinfo is None:
        value = value.astimezone()  # without a zone it is local time, as everywhere in Python
    return value.isoformat()

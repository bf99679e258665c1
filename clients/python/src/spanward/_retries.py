"""When to retry, and after how long."""

from __future__ import annotations

import random
import uuid

import httpx

FIRST_WAIT = 0.25
LONGEST_WAIT = 10.0
LONGEST_ASKED_WAIT = 60.0
_PASSING = frozenset({429, 502, 503, 504})


def request_headers(method: str, headers: dict[str, str]) -> dict[str, str]:
    """Adds an ``Idempotency-Key`` for POST, so that a repeated request has no further effect."""
    if method == "POST" and "idempotency-key" not in {name.lower() for name in headers}:
        return headers | {"idempotency-key": str(uuid.uuid4())}
    return headers


def wait_before_retry(response: httpx.Response | None, attempt: int) -> float | None:
    """Seconds to wait; None when a retry makes no sense. ``response`` is None when there was no answer."""
    if response is None:
        return _backoff(attempt)
    asked = _asked(response)
    # 409 with Retry-After: the first request with the same key is still being processed.
    if response.status_code in _PASSING or (response.status_code == 409 and asked is not None):
        return asked if asked is not None else _backoff(attempt)
    return None


def _asked(response: httpx.Response) -> float | None:
    try:
        seconds = float(response.headers.get("retry-after", ""))
    except ValueError:
        return None
    # Longer times are not waited for, such as the minutes of a locked account.
    return seconds if 0 <= seconds <= LONGEST_ASKED_WAIT else None


def _backoff(attempt: int) -> float:
    base = min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT)
    return base * (1 + random.random())

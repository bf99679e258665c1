"""Results that the server did not accept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._errors import AuthenticationError, NotFound, PermissionDenied, SpanwardError

HOPELESS = (AuthenticationError, NotFound, PermissionDenied)
"""Errors with which the next result would be refused as well."""
_NAMED = 10


@dataclass(frozen=True)
class UnstoredResult:
    """``body`` is the request for ``path``; ``error`` says why it was not stored."""

    what: str
    path: str
    body: Mapping[str, Any]
    error: SpanwardError


class ResultsNotStored(SpanwardError):
    """Tasks or evaluators have run, but the server did not accept all results. ``experiments.store(error.results)`` retries."""

    def __init__(self, results: Sequence[UnstoredResult]) -> None:
        self.results = list(results)
        names = ", ".join(result.what for result in self.results[:_NAMED])
        more = f" and {len(self.results) - _NAMED} more" if len(self.results) > _NAMED else ""
        super().__init__(f"not stored: {names}{more} ({self.results[0].error})")

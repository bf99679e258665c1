"""The exceptions of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx


class SpanwardError(Exception):
    """Base class of the errors that this package raises about the server."""


class ServerUnreachable(SpanwardError):
    """There was no answer: wrong address, no server, no network, or a timeout."""


class ApiError(SpanwardError):
    """An answer that is not 2xx."""

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        issues: list[dict[str, Any]] | None = None,
        request_id: str | None = None,
        report: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        """Stable, for programs: ``project_not_found``."""
        self.issues = issues or []
        """Which parameters or members did not validate, each with ``type``, ``loc`` and ``msg``."""
        self.request_id = request_id
        """Names the entry in the server's log of a 500."""
        self.report = dict(report or {})
        """Further facts of some operations: ``duplicate_spans`` and ``invalid_spans`` of ``spans.create``."""

    def __str__(self) -> str:
        return f"{super().__str__()} (HTTP {self.status}, {self.code})"


class AuthenticationError(ApiError):
    """401: no key was sent, or an invalid one."""


class PermissionDenied(ApiError):
    """403: the key's role does not allow it."""


class NotFound(ApiError):
    """404"""


class Conflict(ApiError):
    """409: a name is taken, a run was recorded already, an id is ambiguous."""


class PreconditionFailed(ApiError):
    """412: somebody else changed it since it was read."""


class InvalidRequest(ApiError):
    """422: ``issues`` has the parameters or members that are invalid, with the reasons."""


class TooManyRequests(ApiError):
    """429"""


class ServerFailure(ApiError):
    """500 and beyond: the server cannot do it, now (503, 507) or at all."""


_BY_STATUS: dict[int, type[ApiError]] = {
    401: AuthenticationError,
    403: PermissionDenied,
    404: NotFound,
    409: Conflict,
    412: PreconditionFailed,
    422: InvalidRequest,
    429: TooManyRequests,
}


def to_api_error(response: httpx.Response) -> ApiError:
    """The error in an answer: RFC 9457, or the bare text of a proxy in between."""
    problem: Any = None
    if "json" in response.headers.get("content-type", ""):
        try:
            problem = response.json()
        except ValueError:
            problem = None
    members: dict[str, Any] = problem if isinstance(problem, dict) else {}
    status = response.status_code
    message = members.get("detail") or response.text[:1000] or response.reason_phrase
    error = _BY_STATUS.get(status, ServerFailure if status >= 500 else ApiError)
    issues = members.get("errors")
    report = members.get("report")
    return error(
        message if isinstance(message, str) else str(message),
        status=status,
        code=str(members.get("code", f"http_{status}")),
        issues=issues if isinstance(issues, list) else None,
        request_id=members.get("request_id") or response.headers.get("x-request-id"),
        report=report if isinstance(report, dict) else None,
    )

"""Client of Spanward. ``Client()`` and ``AsyncClient()`` are where to begin; ``spanward.otel.register()`` sets tracing up."""

from ._async.client import AsyncClient
from ._end_users import EndUserInRange
from ._errors import (
    ApiError,
    AuthenticationError,
    Conflict,
    InvalidRequest,
    NotFound,
    PermissionDenied,
    PreconditionFailed,
    ServerFailure,
    ServerUnreachable,
    SpanwardError,
    TooManyRequests,
)
from ._new_ids import with_new_ids
from ._prompts import PromptVersion
from ._session_turns import SessionTurn
from ._sync.client import Client

__all__ = [
    "ApiError",
    "AsyncClient",
    "AuthenticationError",
    "Client",
    "Conflict",
    "EndUserInRange",
    "InvalidRequest",
    "NotFound",
    "PermissionDenied",
    "PreconditionFailed",
    "PromptVersion",
    "ServerFailure",
    "ServerUnreachable",
    "SpanwardError",
    "SessionTurn",
    "TooManyRequests",
    "with_new_ids",
]

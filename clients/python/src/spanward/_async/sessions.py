from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .. import types
from .paging import AsyncPages
from .resource import AsyncResource


class AsyncSessions(AsyncResource):
    """Sessions; ``session`` is the id the application gave, or that of the server."""

    def list(
        self, project: str, *, filter: str | None = None, order: Literal["asc", "desc"] = "desc", page_size: int = 100
    ) -> AsyncPages[types.Session]:
        """``filter`` is an expression over sessions such as ``num_traces > 3``, or words to look for."""
        params = {"filter": filter, "order": order}
        return AsyncPages(self._transport, "/v1/projects/{}/sessions", project, params=params, page_size=page_size)

    async def get(self, session: str) -> types.Session:
        return await self._data("GET", "/v1/sessions/{}", session)

    async def delete(self, session: str) -> None:
        """With its traces."""
        await self._transport.call("DELETE", "/v1/sessions/{}", session)

    async def delete_many(self, sessions: Sequence[str]) -> None:
        """With their traces."""
        await self._transport.call("POST", "/v1/sessions/delete", body={"session_identifiers": sessions})

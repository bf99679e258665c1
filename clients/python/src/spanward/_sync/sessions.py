# Generated from _async by `npm run generate`.
from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .. import types
from .paging import Pages
from .resource import Resource


class Sessions(Resource):
    """Sessions; ``session`` is the id the application gave, or that of the server."""

    def list(
        self, project: str, *, filter: str | None = None, order: Literal["asc", "desc"] = "desc", page_size: int = 100
    ) -> Pages[types.Session]:
        """``filter`` is an expression over sessions such as ``num_traces > 3``, or words to look for."""
        params = {"filter": filter, "order": order}
        return Pages(self._transport, "/v1/projects/{}/sessions", project, params=params, page_size=page_size)

    def get(self, session: str) -> types.Session:
        return self._data("GET", "/v1/sessions/{}", session)

    def delete(self, session: str) -> None:
        """With its traces."""
        self._transport.call("DELETE", "/v1/sessions/{}", session)

    def delete_many(self, sessions: Sequence[str]) -> None:
        """With their traces."""
        self._transport.call("POST", "/v1/sessions/delete", body={"session_identifiers": sessions})

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, List, Literal

from .. import types
from .._dataframes import records_frame
from .._session_turns import SessionTurn, to_turn
from .._values import in_parts
from .paging import AsyncPages
from .resource import AsyncResource

if TYPE_CHECKING:
    import pandas


class AsyncSessions(AsyncResource):
    """Sessions; ``session`` is the application's session id, or the server's."""

    def list(
        self, project: str, *, filter: str | None = None, order: Literal["asc", "desc"] = "desc", page_size: int = 100
    ) -> AsyncPages[types.Session]:
        """``filter`` is an expression over sessions such as ``num_traces > 3``, or words to look for."""
        params = {"filter": filter, "order": order}
        return AsyncPages(self._transport, "/v1/projects/{}/sessions", project, params=params, page_size=page_size)

    async def get(self, session: str) -> types.Session:
        return await self._data("GET", "/v1/sessions/{}", session)

    async def turns(self, session: str) -> List[SessionTurn]:
        """The conversation, oldest first: the input and output of each trace."""
        found = await self.get(session)
        traces = [trace["trace_id"] for trace in found["traces"]]
        params = {"parent_id": "null"}
        path = "/v1/projects/{}/spans"
        spans = AsyncPages[types.Span](
            self._transport, path, found["project_id"], params=params, parts=in_parts("trace_id", traces)
        )
        roots = {span["context"]["trace_id"]: span["attributes"] async for span in spans}
        return [to_turn(trace, roots.get(trace["trace_id"], {})) for trace in found["traces"]]

    async def to_dataframe(
        self, project: str, *, filter: str | None = None, order: Literal["asc", "desc"] = "desc"
    ) -> pandas.DataFrame:
        """A row for each session. Needs ``pip install "spanward[pandas]"``."""
        sessions = await self.list(project, filter=filter, order=order).to_list()
        return records_frame(sessions, index="session_id", columns=("id", "user_id", "start_time", "end_time"))

    async def delete(self, session: str) -> None:
        """Deletes the session with its traces."""
        await self._transport.call("DELETE", "/v1/sessions/{}", session)

    async def delete_many(self, sessions: Sequence[str]) -> None:
        """Deletes the sessions with their traces."""
        await self._transport.call("POST", "/v1/sessions/delete", body={"session_identifiers": sessions})

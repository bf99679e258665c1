from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .. import types
from .._dataframes import records_frame
from .._end_users import EndUserInRange
from .analytics import Time
from .paging import AsyncPages
from .resource import AsyncResource

if TYPE_CHECKING:
    import pandas

Sort = Literal["cost_total", "last_seen", "first_seen", "traces", "sessions", "errors", "tokens_total", "latency_p95"]


class AsyncEndUsers(AsyncResource):
    """
    Who a project's traces were made for, by their ``user.id`` (docs/end-users.md). ``project`` is an id or a name.

    Figures are of the last 30 days unless there are times or a range, such as ``"7d"``; ``first_seen`` is of all that is stored.
    """

    def list(
        self,
        project: str,
        *,
        q: str | None = None,
        filter: str | None = None,
        start_time: Time | None = None,
        end_time: Time | None = None,
        range: str | None = None,
        time_zone: str | None = None,
        sort: Sort = "cost_total",
        order: Literal["asc", "desc"] = "desc",
        page_size: int = 100,
    ) -> AsyncPages[types.EndUser]:
        """``q`` is a part of the id, ``filter`` an expression over traces such as ``error_count > 0``, or words to look for."""
        params = {
            "q": q,
            "filter": filter,
            "start_time": start_time,
            "end_time": end_time,
            "range": range,
            "time_zone": time_zone,
            "sort": sort,
            "order": order,
        }
        return AsyncPages(self._transport, "/v1/projects/{}/end_users", project, params=params, page_size=page_size)

    async def get(
        self,
        project: str,
        user_id: str,
        *,
        filter: str | None = None,
        start_time: Time | None = None,
        end_time: Time | None = None,
        range: str | None = None,
        time_zone: str | None = None,
    ) -> EndUserInRange:
        """One of them. Ids that are ``.`` or ``..`` are no part of an address: find them with ``list(project, q=…)``."""
        params = {
            "filter": filter,
            "start_time": start_time,
            "end_time": end_time,
            "range": range,
            "time_zone": time_zone,
        }
        path = "/v1/projects/{}/end_users/{}"
        answer = await self._transport.call("GET", path, project, user_id, params=params)
        return answer["data"] | {name: answer[name] for name in ("is_partial", "covered_start_time")}

    async def to_dataframe(self, project: str, **question: Any) -> pandas.DataFrame:
        """
        As ``list``, a row for each user. ``attrs["is_partial"]`` says whether time was up before all was read. Needs
        ``pip install "spanward[pandas]"``.
        """
        users = self.list(project, **question)
        columns = ("first_seen", "last_seen", "session_count", "trace_count", "error_count", "tokens_total", "cost_total")
        frame = records_frame(
            await users.to_list(), index="user_id", columns=columns, times=("first_seen", "last_seen")
        )
        frame.attrs["is_partial"] = users.is_partial
        return frame

# Generated from _async by `npm run generate`.
from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Literal

from .. import types
from .paging import Pages
from .resource import Resource


class Traces(Resource):
    """Traces; ``project`` is an id or a name."""

    def list(
        self,
        project: str,
        *,
        filter: str | None = None,
        start_time: datetime.datetime | None = None,
        end_time: datetime.datetime | None = None,
        sessions: Sequence[str] | None = None,
        sort: Literal[
            "start_time", "latency_ms", "total_cost", "token_count_total", "error_count", "span_count"
        ] = "start_time",
        order: Literal["asc", "desc"] = "desc",
        include_spans: bool = False,
        page_size: int = 100,
    ) -> Pages[types.Trace]:
        """``filter`` is an expression over traces such as ``error_count > 0``, or words to look for."""
        params = {
            "filter": filter,
            "start_time": start_time,
            "end_time": end_time,
            "session_identifier": sessions,
            "sort": sort,
            "order": order,
            "include_spans": include_spans or None,
        }
        return Pages(self._transport, "/v1/projects/{}/traces", project, params=params, page_size=page_size)

    def get(self, project: str, trace_id: str) -> types.TraceWithSpans:
        """A trace with its spans, by its hex id."""
        return self._data("GET", "/v1/projects/{}/traces/{}", project, trace_id)

    def delete(self, trace_id: str) -> None:
        self._transport.call("DELETE", "/v1/traces/{}", trace_id)

    def delete_between(self, project: str, start_time: datetime.datetime, end_time: datetime.datetime) -> None:
        """Deletes the traces that start in the time range, excluding its end."""
        params = {"start_time": start_time, "end_time": end_time}
        self._transport.call("DELETE", "/v1/projects/{}/traces", project, params=params)

    def move(self, trace_ids: Sequence[str], *, to_project: str) -> int:
        """Moves traces to another project. The number of moved traces."""
        body = {"trace_identifiers": trace_ids, "destination_project_identifier": to_project}
        return (self._data("POST", "/v1/traces/transfer", body=body))["transferred_trace_count"]

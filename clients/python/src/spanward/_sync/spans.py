# Generated from _async by `npm run generate`.
from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .. import types
from .._dataframes import read_arrow
from .paging import Pages
from .resource import Resource

if TYPE_CHECKING:
    import pandas


class Spans(Resource):
    """Spans; ``project`` is an id or a name."""

    def list(
        self,
        project: str,
        *,
        filter: str | None = None,
        start_time: datetime.datetime | None = None,
        end_time: datetime.datetime | None = None,
        trace_ids: Sequence[str] | None = None,
        span_ids: Sequence[str] | None = None,
        roots_only: bool = False,
        names: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        status_codes: Sequence[str] | None = None,
        attributes: Mapping[str, Any] | None = None,
        sort: Literal["id", "start_time"] = "id",
        order: Literal["asc", "desc"] = "desc",
        page_size: int = 100,
    ) -> Pages[types.Span]:
        """``filter`` is an expression such as ``span_kind == 'LLM' and latency_ms > 1000``, or words to look for."""
        params = {
            "filter": filter,
            "start_time": start_time,
            "end_time": end_time,
            "trace_id": trace_ids,
            "span_id": span_ids,
            "parent_id": "null" if roots_only else None,
            "name": names,
            "span_kind": kinds,
            "status_code": status_codes,
            "attribute": [f"{key}:{_attribute(value)}" for key, value in (attributes or {}).items()],
            "sort": sort,
            "order": order,
        }
        return Pages(self._transport, "/v1/projects/{}/spans", project, params=params, page_size=page_size)

    def to_dataframe(
        self,
        project: str,
        *,
        filter: str | None = None,
        start_time: datetime.datetime | None = None,
        end_time: datetime.datetime | None = None,
        roots_only: bool = False,
        limit: int = 1000,
    ) -> pandas.DataFrame:
        """The newest spans as a table with their span ids as index. Needs ``pip install "spanward[pandas]"``; reading is all it does, so viewers may."""
        params = {
            "filter": filter,
            "start_time": start_time,
            "end_time": end_time,
            "root_spans_only": roots_only or None,
            "limit": limit,
        }
        with self._transport.stream("GET", "/v1/projects/{}/spans.arrow", project, params=params) as response:
            return read_arrow(response.read())

    def create(self, project: str, spans: Sequence[Mapping[str, Any]]) -> int:
        """Stores spans that were not sent over OpenTelemetry. How many there are; an error says which are no good, and then none is stored."""
        answer = self._transport.call("POST", "/v1/projects/{}/spans", project, body={"data": spans})
        return answer["total_queued"]

    def delete(self, span_id: str) -> None:
        """Its children stay."""
        self._transport.call("DELETE", "/v1/spans/{}", span_id)


def _attribute(value: Any) -> str:
    import json

    return json.dumps(value)

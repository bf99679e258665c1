from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from .. import types
from .._dataframes import DOCUMENT_COLUMNS, explode, frame_to_spans, read_arrow, with_context
from .paging import AsyncPages
from .resource import AsyncResource

if TYPE_CHECKING:
    import pandas


class AsyncSpans(AsyncResource):
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
        parent_id: str | None = None,
        names: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        status_codes: Sequence[str] | None = None,
        attributes: Mapping[str, Any] | None = None,
        sort: Literal["id", "start_time", "latency_ms", "total_cost", "token_count_total"] = "id",
        order: Literal["asc", "desc"] = "desc",
        page_size: int = 100,
    ) -> AsyncPages[types.Span]:
        """``filter`` is an expression such as ``span_kind == 'LLM' and latency_ms > 1000``, or words to look for."""
        params = {
            "filter": filter,
            "start_time": start_time,
            "end_time": end_time,
            "trace_id": trace_ids,
            "span_id": span_ids,
            "parent_id": "null" if roots_only else parent_id,
            "name": names,
            "span_kind": kinds,
            "status_code": status_codes,
            "attribute": [f"{key}:{_attribute(value)}" for key, value in (attributes or {}).items()],
            "sort": sort,
            "order": order,
        }
        return AsyncPages(self._transport, "/v1/projects/{}/spans", project, params=params, page_size=page_size)

    async def to_dataframe(
        self,
        project: str,
        *,
        filter: str | None = None,
        start_time: datetime.datetime | None = None,
        end_time: datetime.datetime | None = None,
        roots_only: bool = False,
        select: Sequence[str] | None = None,
        limit: int | None = 1000,
    ) -> pandas.DataFrame:
        """
        The newest spans as a table with their span ids as index. Needs ``pip install "spanward[pandas]"``; reading is all it does, so
        viewers may. ``select`` names fields and attributes, such as ``["name", "latency_ms", "input.value"]``; all without it.
        ``limit=None``: all spans.
        """
        params = {
            "filter": filter,
            "start_time": start_time,
            "end_time": end_time,
            "root_spans_only": roots_only or None,
            "select": select,
            "limit": limit,
        }
        async with self._transport.stream("GET", "/v1/projects/{}/spans.arrow", project, params=params) as response:
            return read_arrow(await response.aread())

    async def documents_to_dataframe(
        self,
        project: str,
        *,
        filter: str | None = "span_kind == 'RETRIEVER'",
        start_time: datetime.datetime | None = None,
        end_time: datetime.datetime | None = None,
        attribute: str = "retrieval.documents",
        columns: Mapping[str, str] = DOCUMENT_COLUMNS,
        select: Sequence[str] = ("trace_id", "input.value"),
        limit: int | None = 1000,
    ) -> pandas.DataFrame:
        """
        What retrievers found: a row for each document of a span, with the span's id and the position as index. ``columns`` say what of
        a document they show, ``select`` what of its span. Such a row is judged by its index: ``annotations.log_dataframe("document", …)``.
        """
        frame = await self.to_dataframe(
            project,
            filter=filter,
            start_time=start_time,
            end_time=end_time,
            select=[*select, attribute],
            limit=limit,
        )
        return explode(frame, attribute, columns)

    async def answers_to_dataframe(
        self,
        project: str,
        *,
        start_time: datetime.datetime | None = None,
        end_time: datetime.datetime | None = None,
        limit: int | None = 1000,
    ) -> pandas.DataFrame:
        """What applications were asked and answered: a row for each root span, with ``input``, ``output`` and, as ``context``, the documents found in its trace."""
        roots = await self.to_dataframe(
            project,
            filter="parent_id is None",
            select=["trace_id", "input.value", "output.value", "metadata"],
            limit=limit,
            start_time=start_time,
            end_time=end_time,
        )
        documents = await self.documents_to_dataframe(
            project, select=["trace_id"], limit=None, start_time=start_time, end_time=end_time
        )
        return with_context(roots, documents)

    async def create(self, project: str, spans: Sequence[Mapping[str, Any]]) -> int:
        """Stores spans that were not sent over OpenTelemetry. How many there are; an error says which are no good, and then none is stored."""
        answer = await self._transport.call("POST", "/v1/projects/{}/spans", project, body={"data": spans})
        return answer["total_queued"]

    async def create_from_dataframe(self, project: str, frame: pandas.DataFrame) -> int:
        """Stores the rows of a table such as ``to_dataframe`` gives, with their ids; ``spanward.with_new_ids(frame)`` has others."""
        return await self.create(project, frame_to_spans(frame))

    async def delete(self, span_id: str) -> None:
        """Deletes the span; its children stay."""
        await self._transport.call("DELETE", "/v1/spans/{}", span_id)


def _attribute(value: Any) -> str:
    import json

    return json.dumps(value)

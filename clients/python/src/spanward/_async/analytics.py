from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

from .. import types
from .._analytics import analytics_frame, facets_frame
from .resource import AsyncResource

if TYPE_CHECKING:
    import pandas

Rows = Literal["spans", "traces", "sessions", "annotations", "errors", "spend", "ingest"]
FacetRows = Literal["spans", "traces", "sessions", "errors"]
KeyRows = Literal["spans", "traces", "sessions"]
Time = Union[datetime.datetime, str]
Words = Union[str, Sequence[str]]


class AsyncAnalytics(AsyncResource):
    """
    Counts, sums and percentiles of many spans, traces, sessions, annotations or errors (docs/analytics.md).

    ``project`` is an id or a name, several, or ``None`` for all that you see. ``schema()`` lists measures and groups.
    """

    async def query(
        self,
        project: Words | None = None,
        *,
        of: Rows = "spans",
        measure: Words | None = None,
        group_by: Words | None = None,
        filter: str | None = None,
        annotation_name: Words | None = None,
        annotator_kind: Words | None = None,
        start_time: Time | None = None,
        end_time: Time | None = None,
        range: str | None = None,
        bucket: str | None = None,
        time_zone: str | None = None,
        compare: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        distribution: str | None = None,
        bins: int | None = None,
        scale: Literal["log", "linear"] | None = None,
        strict: bool | None = None,
    ) -> types.Analytics:
        """
        The answer to a question; ``is_partial`` says whether time was up before all was read.

        :param measure: up to 8, ``count`` when absent
        :param group_by: up to 2
        :param range: instead of times: ``"24h"``, ``"7d"``, ``"this_month"``, …
        :param distribution: instead of measures and groups: the number that is counted in bins
        :param strict: an incomplete answer is ``ServerFailure`` with the code ``analytics_too_slow``, after retries
        """
        params: dict[str, Any] = {
            "of": of,
            "measure": measure,
            "group_by": group_by,
            "filter": filter,
            "annotation_name": annotation_name,
            "annotator_kind": annotator_kind,
            "start_time": start_time,
            "end_time": end_time,
            "range": range,
            "bucket": bucket,
            "time_zone": time_zone,
            "compare": compare,
            "sort": sort,
            "limit": limit,
            "distribution": distribution,
            "bins": bins,
            "scale": scale,
            "strict": strict,
        }
        if isinstance(project, str):
            return await self._data("GET", "/v1/projects/{}/analytics", project, params=params)
        return await self._data("GET", "/v1/analytics", params=params | {"project": project})

    async def to_dataframe(self, project: Words | None = None, **question: Any) -> pandas.DataFrame:
        """
        As ``query``, a row for each group, in each bucket where there are buckets. Groups beyond ``limit`` are not in
        it. ``attrs["is_partial"]`` says whether it is incomplete. Needs ``pip install "spanward[pandas]"``.
        """
        return analytics_frame(await self.query(project, **question), question.get("group_by"))

    async def facets(
        self,
        project: str,
        field: Words,
        *,
        of: FacetRows = "spans",
        filter: str | None = None,
        start_time: Time | None = None,
        end_time: Time | None = None,
        range: str | None = None,
        time_zone: str | None = None,
        limit: int | None = None,
        value_contains: str | None = None,
    ) -> list[types.Facet]:
        """
        The most frequent values of fields, each with its count and filter. Counted are the rows that fit the filter, but for
        what it says about the field itself.

        :param field: up to 20 of the groups of ``schema()``
        :param limit: values of each field, 10 when absent
        """
        params = {
            "of": of,
            "field": field,
            "filter": filter,
            "start_time": start_time,
            "end_time": end_time,
            "range": range,
            "time_zone": time_zone,
            "limit": limit,
            "value_contains": value_contains,
        }
        return await self._data("GET", "/v1/projects/{}/facets", project, params=params)

    async def facets_to_dataframe(self, project: str, field: Words, **question: Any) -> pandas.DataFrame:
        """
        As ``facets``, a row for each value of each field. ``attrs["is_partial"]`` says whether counts mean "at least". Needs
        ``pip install "spanward[pandas]"``.
        """
        return facets_frame(await self.facets(project, field, **question))

    async def attribute_keys(
        self, project: str, *, of: KeyRows = "spans", prefix: str | None = None
    ) -> list[types.AttributeKey]:
        """The keys of attributes, metadata, resources and annotations of the newest 2,000 rows, the most frequent first."""
        return await self._data(
            "GET", "/v1/projects/{}/attribute_keys", project, params={"of": of, "prefix": prefix}
        )

    async def schema(self) -> types.AnalyticsSchema:
        """All rows, measures and groups, with a sentence about each."""
        return await self._data("GET", "/v1/analytics/schema")

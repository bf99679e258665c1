"""Answers of analytics as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import types
from ._dataframes import _needed, with_times

if TYPE_CHECKING:
    import pandas


def analytics_frame(answer: types.Analytics, group_by: str | Sequence[str] | None) -> pandas.DataFrame:
    """
    A row for each group, in each bucket where there are buckets; without groups one for each bucket, and of a
    distribution one for each of its bins. ``previous.`` stands before the measures of the time before. ``attrs`` tell
    whether the answer is complete.
    """
    pd = _needed("pandas")
    if "distribution" in answer:
        rows, columns = _distribution_rows(answer, answer["distribution"])
    else:
        rows, columns = _rows(answer, [group_by] if isinstance(group_by, str) else list(group_by or []))
    frame: pandas.DataFrame = pd.DataFrame(rows, columns=columns)
    frame = with_times(frame, ("start_time", "end_time"))
    for name in ("is_partial", "covered_start_time", "overlapping", "groups_total", "approximate", "source"):
        frame.attrs[name] = answer[name]
    return frame


def facets_frame(facets: Sequence[types.Facet]) -> pandas.DataFrame:
    """A row for each value of each field, the most frequent first. ``attrs`` tell whether all was counted."""
    rows = [{"field": facet["field"]} | value for facet in facets for value in facet["values"]]
    columns = ["field", "value", "label", "count", "filter"]
    frame: pandas.DataFrame = _needed("pandas").DataFrame(rows, columns=columns)
    frame.attrs["is_partial"] = any(facet["is_partial"] for facet in facets)
    return frame


def _rows(answer: types.Analytics, fields: Sequence[str]) -> tuple[list[dict[str, Any]], list[str]]:
    measures = list(answer["all"]["totals"])
    groups = answer["series"] if fields else [{**answer["all"], "group": []}]
    has_buckets = answer["bucket"] != "none" or not fields
    rows = []
    for group in groups:
        named = {part["field"]: _shown(part) for part in group["group"]}
        if not has_buckets:
            rows.append(named | _numbers(group, measures, None))
            continue
        for place, bucket in enumerate(answer["buckets"]):
            rows.append(named | dict(bucket) | _numbers(group, measures, place))
    without_rows = [*fields, *(["start_time", "end_time"] if has_buckets else []), *measures]
    return rows, list(rows[0]) if rows else without_rows


def _shown(part: Mapping[str, Any]) -> Any:
    """The name of a project, whose value is an id; of everything else the value, with its type."""
    return part["label"] if part["field"] == "project" else part["value"]


def _numbers(cells: Mapping[str, Any], measures: Sequence[str], place: int | None) -> dict[str, Any]:
    numbers = {name: _number(cells, name, place) for name in measures}
    before = cells.get("previous")
    if before is not None:
        numbers |= {f"previous.{name}": _number(before, name, place) for name in measures}
    return numbers


def _number(cells: Mapping[str, Any], name: str, place: int | None) -> Any:
    return cells["totals"][name] if place is None else cells["values"][name][place]


def _distribution_rows(
    answer: types.Analytics, distribution: types.AnalyticsDistribution
) -> tuple[list[dict[str, Any]], list[str]]:
    rows = []
    for place, bucket in enumerate(answer["buckets"]):
        counts = distribution["values"][place]
        for number, found in enumerate(distribution["bins"]):
            count = None if counts is None else counts[number]
            rows.append(dict(bucket) | {"bin_start": found["start"], "bin_end": found["end"], "count": count})
    return rows, ["start_time", "end_time", "bin_start", "bin_end", "count"]

"""Copies of spans."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    import pandas


@overload
def with_new_ids(spans: pandas.DataFrame) -> pandas.DataFrame: ...


@overload
def with_new_ids(spans: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]: ...


def with_new_ids(spans: Any) -> Any:
    """
    Copies of spans (a list, or a table of ``spans.to_dataframe``) with other trace and span ids, so that they can be stored beside the
    ones they were copied from. Who is whose parent stays; a parent that is not among them is no more.
    """
    ids = _NewIds()
    if not hasattr(spans, "iterrows"):
        for span in spans:
            ids.span(span["context"]["span_id"])
        return [
            {
                **span,
                "context": {
                    **span["context"],
                    "trace_id": ids.trace(span["context"]["trace_id"]),
                    "span_id": ids.span(span["context"]["span_id"]),
                },
                "parent_id": ids.parent(span.get("parent_id")),
            }
            for span in spans
        ]
    frame = spans.copy()
    own = list(frame["context.span_id"] if "context.span_id" in frame.columns else frame.index)
    frame["context.span_id"] = [ids.span(one) for one in own]
    frame["context.trace_id"] = [ids.trace(one) for one in frame["context.trace_id"]]
    frame["parent_id"] = [ids.parent(one) for one in frame["parent_id"]]
    return frame.set_index("context.span_id", drop=False)


class _NewIds:
    def __init__(self) -> None:
        self._spans: dict[str, str] = {}
        self._traces: dict[str, str] = {}

    def span(self, span_id: str) -> str:
        return self._spans.setdefault(span_id, secrets.token_hex(8))

    def trace(self, trace_id: str) -> str:
        return self._traces.setdefault(trace_id, secrets.token_hex(16))

    def parent(self, span_id: Any) -> str | None:
        return self._spans.get(span_id)

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict


class SessionTurn(TypedDict):
    """A trace of a session. ``input`` and ``output`` are None where its root span says none."""

    trace_id: str
    start_time: str
    end_time: str
    input: Any
    output: Any
    input_mime_type: str | None
    output_mime_type: str | None


def to_turn(trace: Mapping[str, Any], attributes: Mapping[str, Any]) -> SessionTurn:
    """``attributes`` are those of the trace's root span."""
    return SessionTurn(
        trace_id=trace["trace_id"],
        start_time=trace["start_time"],
        end_time=trace["end_time"],
        input=attributes.get("input.value"),
        output=attributes.get("output.value"),
        input_mime_type=attributes.get("input.mime_type"),
        output_mime_type=attributes.get("output.mime_type"),
    )

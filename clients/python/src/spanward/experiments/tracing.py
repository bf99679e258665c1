"""Traces of an experiment's runs, for those who have OpenTelemetry installed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .._values import to_wire


class ExperimentTracing:
    """A tracer of one project while it is entered; spans of other instrumentation inside of a run belong to its trace."""

    def __init__(self, base_url: str, headers: Mapping[str, str], project: str | None, wanted: bool) -> None:
        self._provider: Any = None
        if not wanted or project is None:
            return
        try:
            from ..otel import tracer_provider
        except ImportError:
            return
        self._provider = tracer_provider(
            project_name=project, endpoint=base_url, headers=headers, protocol="http/protobuf"
        )

    def __enter__(self) -> ExperimentTracing:
        return self

    def __exit__(self, *_: object) -> None:
        if self._provider is not None:
            self._provider.shutdown()

    @contextmanager
    def span(self, name: str, kind: str, given: Any) -> Iterator[RunSpan]:
        if self._provider is None:
            yield RunSpan(None)
            return
        tracer = self._provider.get_tracer("spanward.experiments")
        with tracer.start_as_current_span(name, record_exception=False) as span:
            span.set_attribute("openinference.span.kind", kind)
            _set(span, "input", given)
            yield RunSpan(span)


class RunSpan:
    """A span, or a no-op without tracing."""

    def __init__(self, span: Any) -> None:
        self._span = span

    @property
    def trace_id(self) -> str | None:
        return None if self._span is None else f"{self._span.get_span_context().trace_id:032x}"

    def answer(self, output: Any) -> None:
        if self._span is not None:
            from opentelemetry.trace import StatusCode

            _set(self._span, "output", output)
            self._span.set_status(StatusCode.OK)

    def fail(self, error: BaseException) -> None:
        if self._span is not None:
            from opentelemetry.trace import StatusCode

            self._span.record_exception(error)
            self._span.set_status(StatusCode.ERROR, f"{type(error).__name__}: {error}")


def _set(span: Any, side: str, value: Any) -> None:
    is_text = isinstance(value, str)
    span.set_attribute(f"{side}.value", value if is_text else json.dumps(to_wire(value), ensure_ascii=False))
    span.set_attribute(f"{side}.mime_type", "text/plain" if is_text else "application/json")

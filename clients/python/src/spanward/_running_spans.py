"""Sends spans while they run."""

from __future__ import annotations

import threading
from typing import Optional

from opentelemetry import context as otel_context
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
from opentelemetry.sdk.trace.export import SpanExporter

# The exporter's own requests must not become spans. The key is that of OpenTelemetry's processors.
_SUPPRESS_KEY = "suppress_instrumentation"


class RunningSpanProcessor(SpanProcessor):
    """
    Sends spans while they run, without an end. Spanward shows them as running, and takes the span as it ended in their
    place. Use it beside a processor that sends spans as they end, and give it an exporter of its own.

    :param delay_seconds: a span is sent once it has been running for so long; shorter ones cost nothing
    """

    def __init__(self, exporter: SpanExporter, delay_seconds: float = 1.0) -> None:
        self._exporter = exporter
        self._delay = delay_seconds
        self._lock = threading.Lock()
        # One export at a time, as exporters are not made for several.
        self._sending = threading.Lock()
        # Spans that run and were not sent yet, by id.
        self._waiting: dict[int, Span] = {}
        self._timer: Optional[threading.Timer] = None

    def on_start(self, span: Span, parent_context: Optional[Context] = None) -> None:
        span_context = span.get_span_context()
        if span_context is None or not span_context.trace_flags.sampled:
            return
        with self._lock:
            self._waiting[span_context.span_id] = span
            # A thread does not survive a fork.
            if self._timer is None or not self._timer.is_alive():
                self._timer = threading.Timer(self._delay, self._send)
                self._timer.daemon = True
                self._timer.start()

    def on_end(self, span: ReadableSpan) -> None:
        span_context = span.get_span_context()
        if span_context is not None:
            with self._lock:
                self._waiting.pop(span_context.span_id, None)

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Sends what runs now and was not sent yet."""
        self._send()
        return self._exporter.force_flush(timeout_millis)

    def shutdown(self) -> None:
        """Sends what still runs, so that one sees what never ended."""
        self._send()
        self._exporter.shutdown()

    def _send(self) -> None:
        with self._lock:
            spans = list(self._waiting.values())
            self._waiting.clear()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        with self._sending:
            if not spans:
                return
            token = otel_context.attach(otel_context.set_value(_SUPPRESS_KEY, True))
            try:
                # What is not received now is received when the span ends.
                self._exporter.export(spans)
            finally:
                otel_context.detach(token)

"""Tracing in one line: ``register()``. Needs ``pip install "spanward[otel]"``, or ``spanward[grpc]`` to send over gRPC."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor, SpanExporter

from . import _settings
from ._running_spans import RunningSpanProcessor

__all__ = ["Protocol", "RunningSpanProcessor", "register", "tracer_provider"]

Protocol = Literal["http/protobuf", "grpc"]

_GRPC_PORT = 4317


def register(
    *,
    project_name: str | None = None,
    endpoint: str | None = None,
    api_key: str | None = None,
    headers: Mapping[str, str] | None = None,
    protocol: Protocol | None = None,
    batch: bool = True,
    running: bool = False,
    auto_instrument: bool = False,
    set_global: bool = True,
    resource_attributes: Mapping[str, str] | None = None,
) -> TracerProvider:
    """
    Sets tracing up: spans of this process are sent to Spanward from now on.

    :param project_name: default ``SERVICE_PROJECT_NAME``, else ``default``
    :param endpoint: address of the server, or of its gRPC port; default ``SERVICE_COLLECTOR_ENDPOINT``, else ``http://localhost:6006``
    :param api_key: default ``SERVICE_API_KEY``
    :param protocol: default gRPC when the endpoint has port 4317, else HTTP
    :param batch: send in batches every few seconds, or each span at once
    :param running: also send spans that have been running for a second, see ``RunningSpanProcessor``
    :param auto_instrument: switch on every installed instrumentation library (OpenInference's and others)
    :param set_global: make it OpenTelemetry's global tracer provider
    """
    provider = tracer_provider(
        project_name=project_name,
        endpoint=endpoint,
        api_key=api_key,
        headers=headers,
        protocol=protocol,
        batch=batch,
        running=running,
        resource_attributes=resource_attributes,
    )
    if set_global:
        trace.set_tracer_provider(provider)
    if auto_instrument:
        for entry in importlib.metadata.entry_points(group="openinference_instrumentor"):
            entry.load()().instrument(tracer_provider=provider)
        for entry in importlib.metadata.entry_points(group="opentelemetry_instrumentor"):
            instrumentor = entry.load()()
            if not instrumentor.is_instrumented_by_opentelemetry:
                instrumentor.instrument(tracer_provider=provider)
    return provider


def tracer_provider(
    *,
    project_name: str | None = None,
    endpoint: str | None = None,
    api_key: str | None = None,
    headers: Mapping[str, str] | None = None,
    protocol: Protocol | None = None,
    batch: bool = True,
    running: bool = False,
    resource_attributes: Mapping[str, str] | None = None,
) -> TracerProvider:
    """A tracer provider that sends to Spanward, without registering it; parameters as of ``register``."""
    resource = Resource.create(
        {**(resource_attributes or {}), "openinference.project.name": _settings.project_name(project_name)}
    )
    provider = TracerProvider(resource=resource)
    auth = _settings.auth_headers(api_key, headers)
    if running:
        provider.add_span_processor(RunningSpanProcessor(_exporter(endpoint, auth, protocol)))
    exporter = _exporter(endpoint, auth, protocol)
    provider.add_span_processor(BatchSpanProcessor(exporter) if batch else SimpleSpanProcessor(exporter))
    return provider


def _exporter(endpoint: str | None, headers: dict[str, str], protocol: Protocol | None) -> SpanExporter:
    url = _settings.base_url(endpoint)
    address = urlsplit(url)
    if (protocol or ("grpc" if address.port == _GRPC_PORT else "http/protobuf")) == "http/protobuf":
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        return OTLPSpanExporter(endpoint=f"{url}/v1/traces", headers=headers)
    # The environment names the HTTP port; an endpoint argument with a port is used as it is.
    port = address.port if endpoint is not None and address.port else _GRPC_PORT
    target: Any = f"{address.scheme}://{address.hostname}:{port}"
    try:
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
    except ImportError as error:
        raise ImportError('sending over gRPC needs: pip install "spanward[grpc]"') from error
    return GrpcExporter(endpoint=target, headers=headers, insecure=address.scheme == "http")

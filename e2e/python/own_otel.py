"""`spanward.otel.register`, over HTTP and gRPC."""

import os
import time
import urllib.error

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from server_under_test import GRPC_ADDRESS, HEADERS, URL, names, read_spans
from spanward.otel import RunningSpanProcessor, register, tracer_provider

KEY = os.environ.get("PHOENIX_API_KEY")


def test_register_over_http():
    provider = register(project_name="own otel", endpoint=URL, api_key=KEY or "", resource_attributes={"service.name": "test"})
    with trace.get_tracer("test").start_as_current_span("outer"):
        with trace.get_tracer("test").start_as_current_span("inner"):
            pass
    provider.shutdown()
    assert names(read_spans("own otel")) == ["inner", "outer"]


def test_grpc():
    endpoint = GRPC_ADDRESS if "://" in GRPC_ADDRESS else f"http://{GRPC_ADDRESS}"
    provider = tracer_provider(
        project_name="own otel grpc", endpoint=endpoint, protocol="grpc", headers={"Authorization": f"Bearer {KEY}"} if KEY else None, batch=False
    )
    with provider.get_tracer("test").start_as_current_span("over grpc"):
        pass
    provider.shutdown()
    assert names(read_spans("own otel grpc")) == ["over grpc"]


def test_running_spans():
    provider = tracer_provider(project_name="own running", endpoint=URL, api_key=KEY or "", running=True)
    tracer = provider.get_tracer("test")
    agent = tracer.start_span("agent")
    tracer.start_span("short").end()
    provider.force_flush()
    states = {span["name"]: (span["state"], span["latency_ms"] is None) for span in read_spans("own running")}
    assert states == {"agent": ("running", True), "short": ("ended", False)}
    agent.end()
    provider.shutdown()
    assert [(span["state"], span["latency_ms"] is None) for span in read_spans("own running")] == [("ended", False)] * 2


def test_running_spans_are_sent_by_themselves():
    provider = TracerProvider(resource=Resource.create({"openinference.project.name": "own running by itself"}))
    exporter = OTLPSpanExporter(endpoint=f"{URL}/v1/traces", headers=HEADERS)
    provider.add_span_processor(RunningSpanProcessor(exporter, delay_seconds=0.01))
    span = provider.get_tracer("test").start_span("endless")
    while not is_stored("own running by itself"):
        time.sleep(0.05)
    assert [each["state"] for each in read_spans("own running by itself")] == ["running"]
    span.end()
    provider.shutdown()


def is_stored(project):
    try:
        return read_spans(project) != []
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        return False


def test_environment():
    os.environ.update(SERVICE_COLLECTOR_ENDPOINT=URL, SERVICE_PROJECT_NAME="own otel environment", SERVICE_API_KEY=KEY or "")
    provider = tracer_provider()
    with provider.get_tracer("test").start_as_current_span("from the environment"):
        pass
    provider.shutdown()
    assert names(read_spans("own otel environment")) == ["from the environment"]

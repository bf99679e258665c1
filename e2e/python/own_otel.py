"""`spanward.otel.register`, over HTTP and gRPC."""

import os

from opentelemetry import trace
from server_under_test import GRPC_ADDRESS, URL, names, read_spans
from spanward.otel import register, tracer_provider

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


def test_environment():
    os.environ.update(SERVICE_COLLECTOR_ENDPOINT=URL, SERVICE_PROJECT_NAME="own otel environment", SERVICE_API_KEY=KEY or "")
    provider = tracer_provider()
    with provider.get_tracer("test").start_as_current_span("from the environment"):
        pass
    provider.shutdown()
    assert names(read_spans("own otel environment")) == ["from the environment"]

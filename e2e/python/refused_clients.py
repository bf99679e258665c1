"""What the released clients tell their users when the server refuses them: no key, or a wrong one in PHOENIX_API_KEY."""

import io
import logging

import httpx
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from phoenix.client import Client
from phoenix.otel import register

from server_under_test import GRPC_ADDRESS, HEADERS, URL


def logged_by(send):
    """What reaches the logs while spans are sent."""
    text = io.StringIO()
    handler = logging.StreamHandler(text)
    logging.getLogger().addHandler(handler)
    try:
        send()
    finally:
        logging.getLogger().removeHandler(handler)
    return text.getvalue()


def send_one(exporter):
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    provider.get_tracer("refused").start_span("refused").end()
    provider.shutdown()


def test_client():
    try:
        Client(base_url=URL).projects.list()
    except httpx.HTTPStatusError as error:
        assert error.response.status_code == 401, error
        assert "401" in str(error) and URL in str(error), error
        assert "key" in error.response.text, error.response.text
    else:
        raise AssertionError("the client was let in")


def test_http_exporter():
    log = logged_by(lambda: send_one(HttpExporter(endpoint=f"{URL}/v1/traces", headers=HEADERS)))
    assert "401" in log and "Unauthorized" in log, log


def test_grpc_exporter():
    log = logged_by(lambda: send_one(GrpcExporter(endpoint=f"http://{GRPC_ADDRESS}", insecure=True, headers=HEADERS)))
    assert "UNAUTHENTICATED" in log, log


def test_register():
    def send():
        provider = register(endpoint=f"{URL}/v1/traces", set_global_tracer_provider=False, verbose=False)
        provider.get_tracer("refused").start_span("refused").end()
        provider.force_flush()
        provider.shutdown()

    log = logged_by(send)
    assert "401" in log and "Unauthorized" in log, log

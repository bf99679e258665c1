import { OTLPTraceExporter as GrpcExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as ProtoExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from "@opentelemetry/sdk-trace-node";
import { expect, test } from "vitest";
import { at, type Json, list } from "./fixture-comparison.ts";
import { metadataOf } from "./grpc-metadata.ts";
import { startServer, type TestServer } from "./server.ts";

const SENDERS = 4;
const TEXT = "x".repeat(2_000);

test.each([
	[
		"HTTP",
		4_000,
		({ url, headers }: TestServer) => new ProtoExporter({ url: `${url}/v1/traces`, headers, timeoutMillis: 50_000 }),
	],
	[
		"gRPC",
		// Unlike the one for HTTP, this exporter never sends again: what waits for more than four seconds is lost with it.
		300,
		(server: TestServer) =>
			new GrpcExporter({
				url: `http://${server.grpcAddress}`,
				metadata: metadataOf(server),
				timeoutMillis: 50_000,
			}),
	],
] as const)(
	"stock exporters over %s lose nothing at a server whose queue is as small as it can be",
	async (_, spans, makeExporter) => {
		// 32 MB, or 2 MB, are sent at once to a queue of 1 MB.
		await using server = await startServer({ env: { SERVICE_INGEST_QUEUE_BYTES: "1048576" } });
		await Promise.all(
			Array.from({ length: SENDERS }, (_, sender) => send(makeExporter(server), `sender ${sender}`, spans)),
		);
		const counts = await Promise.all(
			Array.from({ length: SENDERS }, (_, sender) => countSpans(server, `sender ${sender}`)),
		);
		expect(counts).toEqual(Array(SENDERS).fill(spans));
	},
);

async function send(exporter: SpanExporter, project: string, spans: number): Promise<void> {
	const provider = new NodeTracerProvider({
		resource: resourceFromAttributes({ "openinference.project.name": project }),
		spanProcessors: [new BatchSpanProcessor(exporter, { maxQueueSize: spans, exportTimeoutMillis: 55_000 })],
	});
	const tracer = provider.getTracer("overload");
	for (let n = 0; n < spans; n++) tracer.startSpan(`span ${n}`, { attributes: { "input.value": TEXT } }).end();
	await provider.shutdown();
}

async function countSpans(server: TestServer, project: string): Promise<number> {
	const traces = new Set<string>();
	let cursor: Json | undefined = "";
	while (typeof cursor === "string") {
		const from = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
		const page = (await server.getJson(`/v1/projects/${encodeURIComponent(project)}/traces?limit=1000${from}`)) as Json;
		for (const trace of list(at(page, "data"))) traces.add(String(at(trace, "trace_id")));
		cursor = at(page, "next_cursor");
	}
	return traces.size;
}

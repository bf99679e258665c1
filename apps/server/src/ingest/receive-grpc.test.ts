import { promisify } from "node:util";
import {
	type CallOptions,
	Client,
	compressionAlgorithms,
	credentials,
	Metadata,
	type ServiceError,
} from "@grpc/grpc-js";
import { afterEach, expect, test } from "vitest";
import { type AuthorizeExport, admitEveryExport, listenGrpc } from "./receive-grpc.ts";
import { encodeSpans, makeSpan, openReceiver } from "./test-receiver.ts";

const TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const LOGS = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";

const stacks: AsyncDisposableStack[] = [];
afterEach(async () => {
	for (const stack of stacks.splice(0)) await stack.disposeAsync();
});

async function start(
	options: { environment?: Record<string, string>; authorize?: AuthorizeExport; compression?: number } = {},
) {
	const stack = new AsyncDisposableStack();
	stacks.push(stack);
	const receiver = stack.use(await openReceiver(options.environment));
	const server = stack.use(
		await listenGrpc({
			config: receiver.config,
			host: "127.0.0.1",
			ingest: receiver.ingest,
			log: { warn: () => {}, error: () => {} },
			authorize: options.authorize ?? admitEveryExport,
		}),
	);
	const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure(), {
		...(options.compression === undefined ? {} : { "grpc.default_compression_algorithm": options.compression }),
	});
	stack.defer(() => client.close());
	return { receiver, server, client };
}

/** The answer's bytes. @throws ServiceError */
function send(client: Client, path: string, body: Uint8Array, metadata = new Metadata()): Promise<Buffer> {
	const identity = (bytes: Buffer) => bytes;
	const options: CallOptions = { deadline: Date.now() + 30_000 };
	const call = promisify((done: (error: ServiceError | null, answer?: Buffer) => void) =>
		client.makeUnaryRequest(path, identity, identity, Buffer.from(body), metadata, options, done),
	);
	return call().then((answer) => answer ?? Buffer.alloc(0));
}

async function failure(sent: Promise<unknown>): Promise<ServiceError> {
	return (await sent.then(
		() => undefined,
		(error: unknown) => error,
	)) as ServiceError;
}

/** Codes: https://grpc.github.io/grpc/core/md_doc_statuscodes.html */
const INVALID_ARGUMENT = 3;
const RESOURCE_EXHAUSTED = 8;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

test.each([
	["identity", compressionAlgorithms.identity],
	["gzip", compressionAlgorithms.gzip],
	["deflate", compressionAlgorithms.deflate],
])("takes traces, small and large, with %s", async (_name, compression) => {
	const { receiver, client } = await start({ compression });
	const large = makeSpan({ attributes: [{ key: "text", value: { type: "string", value: "x".repeat(200_000) } }] });
	expect((await send(client, TRACES, encodeSpans([makeSpan()]))).byteLength).toBe(0);
	expect((await send(client, TRACES, encodeSpans([large, makeSpan()]))).byteLength).toBe(0);
	expect(receiver.storedSpans()).toHaveLength(3);
	expect(receiver.storedSpans().find(({ span }) => span.name === large.name)?.span).toEqual(large);
});

test("takes log records, and an empty request", async () => {
	const { receiver, client } = await start();
	expect((await send(client, TRACES, new Uint8Array(0))).byteLength).toBe(0);
	// ExportLogsServiceRequest { resource_logs { scope_logs { log_records {} } } }
	expect((await send(client, LOGS, Uint8Array.of(0x0a, 4, 0x12, 2, 0x12, 0))).byteLength).toBe(0);
	expect(receiver.ingest.health().ignoredLogRecords).toBe(1);
});

test("honours the project of the metadata", async () => {
	const { receiver, client } = await start();
	const metadata = new Metadata();
	metadata.set("x-project-name", "from metadata");
	await send(client, TRACES, encodeSpans([makeSpan()]), metadata);
	expect(receiver.storedSpans()[0]?.project).toBe("from metadata");
});

test("keeps the good spans and names the bad ones", async () => {
	const { receiver, client } = await start();
	const answer = await send(client, TRACES, encodeSpans([makeSpan(), makeSpan({ spanId: "" })]));
	// ExportTraceServiceResponse.partial_success { rejected_spans: 1, error_message }
	expect([answer[0], answer[2], answer[3], answer[4]]).toEqual([0x0a, 0x08, 1, 0x12]);
	expect(answer.toString()).toContain("span id");
	expect(receiver.storedSpans()).toHaveLength(1);
});

test("answers INVALID_ARGUMENT to what cannot be decoded", async () => {
	const { client } = await start();
	const error = await failure(send(client, TRACES, Uint8Array.of(0x0a, 0xff, 1)));
	expect(error).toMatchObject({
		code: INVALID_ARGUMENT,
		details: expect.stringContaining("ExportTraceServiceRequest"),
	});
});

test("answers RESOURCE_EXHAUSTED beyond the size, before and after inflating", async () => {
	const environment = { SERVICE_OTLP_MAX_INFLATED_BYTES: "100000" };
	const { client } = await start({ environment, compression: compressionAlgorithms.gzip });
	const error = await failure(send(client, TRACES, new Uint8Array(5_000_000)));
	expect(error.code).toBe(RESOURCE_EXHAUSTED);
	expect(error.metadata.get("grpc-status-details-bin")).toEqual([]);
});

test("answers UNAVAILABLE with RetryInfo when the queue is full", async () => {
	const { receiver, client } = await start({ environment: { SERVICE_INGEST_QUEUE_BYTES: "1048576" } });
	const held = receiver.ingest.reserve(1_048_576);
	const error = await failure(send(client, TRACES, encodeSpans([makeSpan()])));
	expect(error).toMatchObject({ code: UNAVAILABLE, details: expect.stringContaining("capacity") });
	const [details] = error.metadata.get("grpc-status-details-bin");
	expect(String(details)).toContain("type.googleapis.com/google.rpc.RetryInfo");
	held?.release();
	expect((await send(client, TRACES, encodeSpans([makeSpan()]))).byteLength).toBe(0);
	expect(receiver.ingest.health().refusedRequests).toEqual({ queue_full: 1 });
});

test("asks who may send before it reads the message", async () => {
	const authorize: AuthorizeExport = async (metadata) =>
		metadata.get("authorization")[0] === "Bearer right"
			? undefined
			: { code: UNAUTHENTICATED, message: "Invalid token" };
	const { receiver, client } = await start({ authorize });
	const error = await failure(send(client, TRACES, encodeSpans([makeSpan()])));
	expect(error).toMatchObject({ code: UNAUTHENTICATED, details: "Invalid token" });
	const metadata = new Metadata();
	metadata.set("authorization", "Bearer right");
	await send(client, TRACES, encodeSpans([makeSpan()]), metadata);
	expect(receiver.storedSpans()).toHaveLength(1);
});

test("says which setting to change when its port is taken", async () => {
	const { receiver, server } = await start();
	const config = { ...receiver.config, SERVICE_GRPC_PORT: server.port };
	const log = { warn: () => {}, error: () => {} };
	const second = listenGrpc({ config, host: "127.0.0.1", ingest: receiver.ingest, log, authorize: admitEveryExport });
	await expect(second).rejects.toThrow("SERVICE_GRPC_PORT");
});

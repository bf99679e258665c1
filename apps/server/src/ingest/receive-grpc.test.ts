import { once } from "node:events";
import { connect } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { zstdCompressSync } from "node:zlib";
import {
	type CallOptions,
	Client,
	compressionAlgorithms,
	credentials,
	Metadata,
	type ServiceError,
} from "@grpc/grpc-js";
import { afterEach, expect, test } from "vitest";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { type AuthorizeExport, admitEveryExport, listenGrpc } from "./receive-grpc.ts";
import { encodeSpans, makeSpan, openReceiver } from "./test-receiver.ts";

const TRACES = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
const LOGS = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";

const stacks: AsyncDisposableStack[] = [];
afterEach(async () => {
	for (const stack of stacks.splice(0)) await stack.disposeAsync();
});

async function start(
	options: {
		environment?: Record<string, string>;
		authorize?: AuthorizeExport;
		compression?: number;
		firstCallMs?: number;
	} = {},
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
			...(options.firstCallMs === undefined ? {} : { firstCallMs: options.firstCallMs }),
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
	const options: CallOptions = { deadline: Date.now() + 300_000 };
	const call = promisify((done: (error: ServiceError | null, answer?: Buffer) => void) =>
		client.makeUnaryRequest(path, identity, identity, Buffer.from(body), metadata, options, done),
	);
	return call().then((answer) => answer ?? Buffer.alloc(0));
}

/** Response headers and trailers of a call made by hand. */
async function callRaw(port: number, headers: Record<string, string>, pieces: readonly Uint8Array[]) {
	const session = connect(`http://127.0.0.1:${port}`);
	const stream = session.request({ ":method": "POST", "content-type": "application/grpc", ...headers });
	for (const piece of pieces) stream.write(piece);
	stream.end();
	const answer: Record<string, unknown> = {};
	stream.on("response", (response) => Object.assign(answer, response));
	stream.on("trailers", (trailers) => Object.assign(answer, trailers));
	stream.resume();
	await once(stream, "close");
	session.close();
	return answer;
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
const UNIMPLEMENTED = 12;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

const ADMITTED = { principal: { kind: "anonymous" }, sender: undefined } as const;

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
	const answer = await send(client, LOGS, Uint8Array.of(0x0a, 4, 0x12, 2, 0x12, 0));
	// ExportLogsServiceResponse.partial_success { rejected_log_records: 1, error_message }
	expect(answer.indexOf(Uint8Array.of(0x08, 1, 0x12))).toBe(3);
	expect(answer.toString()).toContain("1 log record was not kept");
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

test("takes a message that comes in small pieces, and refuses half of one", async () => {
	const { receiver, server } = await start();
	const message = encodeSpans([makeSpan()]);
	const frame = Buffer.concat([Buffer.from([0, 0, 0, 0, message.byteLength]), message]);
	expect(message.byteLength).toBeLessThan(256);
	const whole = await callRaw(
		server.port,
		{ ":path": TRACES },
		[...frame].map((byte) => Buffer.from([byte])),
	);
	expect(whole).toMatchObject({ ":status": 200, "grpc-status": "0" });
	const half = await callRaw(server.port, { ":path": TRACES }, [frame.subarray(0, 30)]);
	expect(half).toMatchObject({ "grpc-status": String(INVALID_ARGUMENT) });
	const oddFlag = await callRaw(server.port, { ":path": TRACES }, [Buffer.from([2, 0, 0, 0, 0])]);
	expect(oddFlag).toMatchObject({ "grpc-status": String(INVALID_ARGUMENT) });
	const twice = await callRaw(server.port, { ":path": TRACES }, [frame, frame]);
	expect(twice).toMatchObject({ "grpc-status": String(INVALID_ARGUMENT) });
	expect(receiver.storedSpans()).toHaveLength(1);
});

test("takes zstd, and names what it takes when it is something else", async () => {
	const { receiver, server } = await start();
	const send = (encoding: string, message: Uint8Array) =>
		callRaw(server.port, { ":path": TRACES, "grpc-encoding": encoding }, [
			Buffer.concat([Buffer.from([1, 0, 0, 0, message.byteLength]), message]),
		]);
	expect(await send("zstd", zstdCompressSync(encodeSpans([makeSpan()])))).toMatchObject({ "grpc-status": "0" });
	expect(receiver.storedSpans()).toHaveLength(1);
	expect(await send("snappy", Uint8Array.of(1))).toMatchObject({
		"grpc-status": String(UNIMPLEMENTED),
		"grpc-accept-encoding": "identity,gzip,deflate,zstd",
	});
	expect(await send("gzip", Uint8Array.of(1))).toMatchObject({ "grpc-status": String(INVALID_ARGUMENT) });
});

test("answers UNIMPLEMENTED to other methods and 415 to what is not gRPC", async () => {
	const { server, client } = await start();
	const error = await failure(
		send(client, "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export", new Uint8Array(0)),
	);
	expect(error.code).toBe(UNIMPLEMENTED);
	expect(error.details).toContain("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
	for (const type of ["text/plain", "application/grpc-web", "application/grpc+json"]) {
		expect(await callRaw(server.port, { ":path": TRACES, "content-type": type }, [])).toMatchObject({ ":status": 415 });
	}
});

test("refuses a message that finds no room while it is being read", async () => {
	const { receiver, client } = await start({ environment: { SERVICE_INGEST_QUEUE_BYTES: "1048576" } });
	const held = await receiver.ingest.admit(900_000);
	const error = await failure(send(client, TRACES, new Uint8Array(400_000)));
	expect(error.code).toBe(UNAVAILABLE);
	held?.release();
	expect(receiver.ingest.health().queuedBytes).toBe(0);
});

test("a caller that hangs up gives its place back", async () => {
	const { receiver, server } = await start();
	const session = connect(`http://127.0.0.1:${server.port}`);
	const stream = session.request({ ":method": "POST", ":path": TRACES, "content-type": "application/grpc" });
	stream.on("error", () => {});
	stream.write(Buffer.alloc(50_000));
	await expect.poll(() => receiver.ingest.health().queuedBytes).toBeGreaterThan(50_000);
	session.destroy();
	await expect.poll(() => receiver.ingest.health().queuedBytes).toBe(0);
});

test("an idle connection does not hold up the end", async () => {
	const { server } = await start();
	const session = connect(`http://127.0.0.1:${server.port}`);
	session.on("error", () => {});
	await once(session, "connect");
	await server[Symbol.asyncDispose]();
	session.destroy();
});

test("answers UNAVAILABLE with RetryInfo when the queue is full", async () => {
	const { receiver, client } = await start({ environment: { SERVICE_INGEST_QUEUE_BYTES: "1048576" } });
	const held = await receiver.ingest.admit(1_048_576);
	const error = await failure(send(client, TRACES, encodeSpans([makeSpan()])));
	expect(error).toMatchObject({ code: UNAVAILABLE, details: expect.stringContaining("capacity") });
	const [details] = error.metadata.get("grpc-status-details-bin");
	expect(String(details)).toContain("type.googleapis.com/google.rpc.RetryInfo");
	held?.release();
	expect((await send(client, TRACES, encodeSpans([makeSpan()]))).byteLength).toBe(0);
	expect(receiver.ingest.health().refusedRequests).toEqual({ queue_full: 1 });
});

test("answers UNAVAILABLE with RetryInfo while the database is away, even if authentication needs it", async () => {
	let isAway = true;
	const authorize: AuthorizeExport = async () => {
		if (isAway) throw new StorageUnavailable("unreachable", new Error("cut"));
		return ADMITTED;
	};
	const { receiver, client } = await start({ authorize });
	const refuse = async () => {
		const error = await failure(send(client, TRACES, encodeSpans([makeSpan()])));
		expect(error).toMatchObject({ code: UNAVAILABLE, details: expect.stringContaining("cannot be reached") });
		const [details] = error.metadata.get("grpc-status-details-bin");
		expect(String(details)).toContain("type.googleapis.com/google.rpc.RetryInfo");
	};
	await refuse();
	isAway = false;
	for (const database of ["database", "traces"] as const) {
		receiver.ingest.setReachable(database, false);
		await refuse();
		receiver.ingest.setReachable(database, true);
	}
	expect((await send(client, TRACES, encodeSpans([makeSpan()]))).byteLength).toBe(0);
});

test("tells callers that it is about to stop, and answers calls that still come", async () => {
	const { receiver, server, client } = await start();
	const session = connect(`http://127.0.0.1:${server.port}`);
	await once(session, "connect");
	const goodbye = once(session, "goaway");
	server.drain();
	const [code, lastStream] = await goodbye;
	expect([code, lastStream]).toEqual([0, 2 ** 31 - 1]);
	// Sent here again by a balancer that does not know yet.
	const back = connect(`http://127.0.0.1:${server.port}`);
	expect((await once(back, "goaway"))[1]).toBe(lastStream);
	expect((await send(client, TRACES, encodeSpans([makeSpan()]))).byteLength).toBe(0);
	expect(receiver.storedSpans()).toHaveLength(1);
	session.destroy();
	back.destroy();
});

test("authorizes the sender before it reads the message", async () => {
	const authorize: AuthorizeExport = async ({ sent }) => admitIf(sent.headers.authorization === "Bearer right");
	const { receiver, client } = await start({ authorize });
	const error = await failure(send(client, TRACES, encodeSpans([makeSpan()])));
	expect(error).toMatchObject({ code: UNAUTHENTICATED, details: "Invalid token" });
	const metadata = new Metadata();
	metadata.set("authorization", "Bearer right");
	await send(client, TRACES, encodeSpans([makeSpan()]), metadata);
	expect(receiver.storedSpans()).toHaveLength(1);
});

test("T084 authorizes again when the message took its time: the right to send it may have ended", async () => {
	let isRight = true;
	const authorize: AuthorizeExport = async () => admitIf(isRight);
	const { receiver, server } = await start({ authorize });
	const session = connect(`http://127.0.0.1:${server.port}`);
	const stream = session.request({ ":method": "POST", ":path": TRACES, "content-type": "application/grpc" });
	const message = encodeSpans([makeSpan()]);
	stream.write(Buffer.from([0, 0, 0, 0, message.byteLength]));
	await expect.poll(() => receiver.ingest.health().queuedBytes).toBeGreaterThan(0);
	await sleep(150);
	isRight = false;
	stream.end(message);
	const [answer] = await once(stream, "response");
	expect(answer["grpc-status"]).toBe(String(UNAUTHENTICATED));
	session.destroy();
	await expect.poll(() => receiver.ingest.health().queuedBytes).toBe(0);
	expect(receiver.storedSpans()).toEqual([]);
});

test("hangs up on connections that no admitted call comes on, and on no others", async () => {
	const authorize: AuthorizeExport = async ({ sent }) => admitIf(sent.headers.authorization === "Bearer right");
	const { server } = await start({ authorize, firstCallMs: 3_000 });
	const [idle, wrong, right] = [1, 2, 3].map(() => connect(`http://127.0.0.1:${server.port}`).on("error", () => {}));
	for (const [session, token] of [
		[wrong, "Bearer wrong"],
		[right, "Bearer right"],
	] as const) {
		const headers = { ":method": "POST", ":path": TRACES, "content-type": "application/grpc", authorization: token };
		session
			?.request(headers)
			.on("error", () => {})
			.resume()
			.end();
	}
	await expect.poll(() => [idle?.closed, wrong?.closed]).toEqual([true, true]);
	expect(right?.closed).toBe(false);
	right?.destroy();
});

test("says which setting to change when its port is taken", async () => {
	const { receiver, server } = await start();
	const config = { ...receiver.config, SERVICE_GRPC_PORT: server.port };
	const log = { warn: () => {}, error: () => {} };
	const second = listenGrpc({ config, host: "127.0.0.1", ingest: receiver.ingest, log, authorize: admitEveryExport });
	await expect(second).rejects.toThrow("SERVICE_GRPC_PORT");
});

function admitIf(isRight: boolean): Awaited<ReturnType<AuthorizeExport>> {
	return isRight ? ADMITTED : { refused: { code: UNAUTHENTICATED, message: "Invalid token" } };
}

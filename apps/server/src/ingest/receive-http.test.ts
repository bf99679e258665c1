import { once } from "node:events";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { encodeSpans, makeSpan, openReceiver, stringAttribute } from "./test-receiver.ts";

type Receiver = Awaited<ReturnType<typeof openReceiver>>;

const open: Receiver[] = [];
afterEach(async () => {
	for (const receiver of open.splice(0)) await receiver[Symbol.asyncDispose]();
});

async function start(environment: Record<string, string> = {}): Promise<Receiver> {
	const receiver = await openReceiver(environment);
	open.push(receiver);
	return receiver;
}

const PROTOBUF = { "content-type": "application/x-protobuf" };
const JSON_TYPE = { "content-type": "application/json" };

function post(
	receiver: Receiver,
	body: string | Uint8Array<ArrayBuffer> | null,
	headers: Record<string, string>,
	path = "/v1/traces",
) {
	return fetch(`${receiver.url}${path}`, { method: "POST", headers, body });
}

function jsonSpan(fields: object): string {
	const span = {
		traceId: "5b8efff798038103d269b633813fc60c",
		spanId: "eee19b7ec3c1b174",
		name: "json",
		startTimeUnixNano: "1544712660000000000",
		endTimeUnixNano: "1544712661000000000",
		...fields,
	};
	return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
}

test.each([
	["identity", (body: Uint8Array) => body],
	["gzip", gzipSync],
	["deflate", deflateSync],
	["deflate", deflateRawSync],
	["zstd", zstdCompressSync],
	["GZIP", gzipSync],
	["x-gzip", gzipSync],
	["", (body: Uint8Array) => body],
] as const)("takes protobuf and JSON with Content-Encoding %s", async (encoding, compress) => {
	const receiver = await start();
	const protobuf = compress(encodeSpans([makeSpan()]));
	const json = compress(Buffer.from(jsonSpan({})));
	const headers = { "content-encoding": encoding };

	const first = await post(receiver, new Uint8Array(protobuf), { ...PROTOBUF, ...headers });
	expect(first.status).toBe(200);
	expect(first.headers.get("content-type")).toBe("application/x-protobuf");
	expect((await first.arrayBuffer()).byteLength).toBe(0);

	const second = await post(receiver, new Uint8Array(json), { ...JSON_TYPE, ...headers });
	expect(second.status).toBe(200);
	expect(second.headers.get("content-type")).toContain("application/json");
	expect(await second.json()).toEqual({});
	expect(receiver.storedSpans()).toHaveLength(2);
});

test("takes media types in any case and with parameters", async () => {
	const receiver = await start();
	const types = ["Application/X-Protobuf", "application/x-protobuf; charset=utf-8", "application/x-protobuf;v=1"];
	for (const type of types) {
		expect((await post(receiver, encodeSpans([makeSpan()]), { "content-type": type })).status).toBe(200);
	}
	expect(receiver.storedSpans()).toHaveLength(3);
});

test("takes chunked bodies", async () => {
	const receiver = await start();
	const body = encodeSpans([makeSpan()]);
	const pieces = Readable.from([Buffer.from(body.subarray(0, 20)), Buffer.from(body.subarray(20))]);
	const response = await fetch(`${receiver.url}/v1/traces`, {
		method: "POST",
		headers: PROTOBUF,
		body: Readable.toWeb(pieces) as ReadableStream,
		duplex: "half",
	} as RequestInit);
	expect(response.status).toBe(200);
	expect(receiver.storedSpans()).toHaveLength(1);
});

test("a sender that falls silent is hung up on and gives its place back, one that is slow is not", async () => {
	const receiver = await openReceiver({}, undefined, 3_000);
	open.push(receiver);
	const body = encodeSpans([makeSpan()]);
	const head = `POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\nContent-Length: ${body.byteLength}\r\n\r\n`;

	const silent = connect(Number(new URL(receiver.url).port), "127.0.0.1");
	const hungUp = once(silent, "close");
	silent.write(head);
	silent.resume();
	await expect.poll(() => receiver.ingest.health().queuedBytes).toBeGreaterThan(0);
	await hungUp;
	await expect.poll(() => receiver.ingest.health().queuedBytes).toBe(0);

	const slow = connect(Number(new URL(receiver.url).port), "127.0.0.1");
	slow.write(head);
	for (const at of [0, 10, 20, 30]) {
		await setTimeout(1_000);
		slow.write(body.subarray(at, at === 30 ? undefined : at + 10));
	}
	const [answer] = (await once(slow, "data")) as [Buffer];
	slow.destroy();
	expect(answer.toString()).toContain("200 OK");
	expect(receiver.storedSpans()).toHaveLength(1);
});

test("an empty body is an empty request", async () => {
	const receiver = await start();
	expect((await post(receiver, null, PROTOBUF)).status).toBe(200);
	expect((await post(receiver, null, JSON_TYPE)).status).toBe(200);
	expect((await post(receiver, null, PROTOBUF, "/v1/logs")).status).toBe(200);
});

test("answers 415 to other types and encodings, with a sentence", async () => {
	const receiver = await start();
	const plain = await post(receiver, "x", { "content-type": "text/plain" });
	expect(plain.status).toBe(415);
	expect(plain.headers.get("content-type")).toContain("text/plain");
	expect(await plain.text()).toContain("application/x-protobuf or application/json");

	const encoded = await post(receiver, "{}", { ...JSON_TYPE, "content-encoding": "br" });
	expect(encoded.status).toBe(415);
	expect(await encoded.json()).toEqual({
		code: 3,
		message: "Unsupported content encoding: br. Send gzip, deflate, zstd or identity.",
	});
	expect((await fetch(`${receiver.url}/v1/traces`, { method: "POST" })).status).toBe(415);
	expect((await post(receiver, "{}", { "content-type": "constructor" })).status).toBe(415);
	expect((await post(receiver, "{}", { ...JSON_TYPE, "content-encoding": "__proto__" })).status).toBe(415);
	expect(receiver.ingest.health().refusedRequests).toEqual({ unsupported_media_type: 5 });
});

test("answers 422 to what cannot be decoded, as a Status in the type of the request", async () => {
	const receiver = await start();
	const protobuf = await post(receiver, new Uint8Array([0x0a, 0xff, 0x01, 0x02]), PROTOBUF);
	expect(protobuf.status).toBe(422);
	expect(protobuf.headers.get("content-type")).toBe("application/x-protobuf");
	const status = Buffer.from(await protobuf.arrayBuffer());
	// google.rpc.Status: code 3, then the message.
	expect(status.subarray(0, 3)).toEqual(Buffer.from([0x08, 3, 0x12]));
	expect(status.toString()).toContain("ExportTraceServiceRequest");

	const json = await post(receiver, "{", JSON_TYPE);
	expect(json.status).toBe(422);
	expect(await json.json()).toMatchObject({ code: 3, message: expect.stringContaining("JSON") });
});

test("answers 400 to corrupt compression", async () => {
	const receiver = await start();
	const response = await post(receiver, "not gzip", { ...JSON_TYPE, "content-encoding": "gzip" });
	expect(response.status).toBe(400);
	expect(await response.json()).toMatchObject({ code: 3, message: expect.stringContaining("gzip") });
});

test("answers 413 beyond the size on the wire and after inflating, naming the setting", async () => {
	const receiver = await start({ SERVICE_OTLP_MAX_BODY_BYTES: "10000", SERVICE_OTLP_MAX_INFLATED_BYTES: "100000" });
	const wire = await post(receiver, new Uint8Array(10_001), JSON_TYPE);
	expect(wire.status).toBe(413);
	expect(await wire.json()).toMatchObject({ message: expect.stringContaining("SERVICE_OTLP_MAX_BODY_BYTES") });

	const pieces = Readable.from([Buffer.alloc(6_000), Buffer.alloc(6_000)]);
	const chunked = await fetch(`${receiver.url}/v1/traces`, {
		method: "POST",
		headers: JSON_TYPE,
		body: Readable.toWeb(pieces) as ReadableStream,
		duplex: "half",
	} as RequestInit);
	expect(chunked.status).toBe(413);

	const bomb = await post(receiver, new Uint8Array(gzipSync(Buffer.alloc(5_000_000))), {
		...JSON_TYPE,
		"content-encoding": "gzip",
	});
	expect(bomb.status).toBe(413);
	expect(await bomb.json()).toMatchObject({ message: expect.stringContaining("SERVICE_OTLP_MAX_INFLATED_BYTES") });
	// The connection and the worker go on.
	expect((await post(receiver, encodeSpans([makeSpan()]), PROTOBUF)).status).toBe(200);
});

test("keeps the good spans of a request and names the bad ones, in protobuf", async () => {
	const receiver = await start();
	const good = makeSpan();
	const response = await post(receiver, encodeSpans([good, makeSpan({ traceId: "" })]), PROTOBUF);
	expect(response.status).toBe(200);
	const body = Buffer.from(await response.arrayBuffer());
	// ExportTraceServiceResponse.partial_success { rejected_spans: 1, error_message }
	expect([body[0], body[2], body[3], body[4]]).toEqual([0x0a, 0x08, 1, 0x12]);
	expect(body.toString()).toContain("trace id");
	expect(receiver.storedSpans().map(({ span }) => span.spanId)).toEqual([good.spanId]);
	expect(receiver.ingest.health().rejectedSpans).toEqual({ invalid_trace_id: 1 });
});

test("stores a span with an implausible cost, and says that the cost does not count", async () => {
	const receiver = await start();
	const cost = (doubleValue: number) => ({
		attributes: [
			{ key: "openinference.span.kind", value: { stringValue: "LLM" } },
			{ key: "llm.cost.total", value: { doubleValue } },
		],
	});
	const response = await post(receiver, jsonSpan(cost(1_000_000_001)), JSON_TYPE);
	expect(response.status).toBe(200);
	expect(await response.json()).toEqual({
		partialSuccess: { rejectedSpans: "0", errorMessage: expect.stringContaining("1,000,000,000 US dollars") },
	});
	expect(
		await (await post(receiver, jsonSpan({ ...cost(1e9), spanId: "00000000000000aa" }), JSON_TYPE)).json(),
	).toEqual({});
	expect(receiver.storedSpans()).toHaveLength(2);
	expect(receiver.ingest.health().rejectedSpans).toEqual({});
});

test("keeps the good spans of a request and names the bad ones, in JSON", async () => {
	const receiver = await start();
	const response = await post(receiver, jsonSpan({ spanId: "xyz" }), JSON_TYPE);
	expect(response.status).toBe(200);
	expect(await response.json()).toEqual({
		partialSuccess: { rejectedSpans: "1", errorMessage: expect.stringContaining("spanId") },
	});
});

test("a request that cannot be decoded does not make others fail", async () => {
	const receiver = await start({ SERVICE_INGEST_WORKERS: "1" });
	const bodies = Array.from({ length: 40 }, (_, index) =>
		index % 2 === 0 ? encodeSpans([makeSpan()]) : new Uint8Array([0x0a, 0xff]),
	);
	const responses = await Promise.all(bodies.map((body) => post(receiver, body, PROTOBUF)));
	expect(responses.map(({ status }) => status)).toEqual(bodies.map((_, index) => (index % 2 === 0 ? 200 : 422)));
	expect(receiver.storedSpans()).toHaveLength(20);
	expect(receiver.ingest.health().commits).toBeLessThan(20);
});

test("a retried request changes nothing and is acknowledged", async () => {
	const receiver = await start();
	const body = encodeSpans([makeSpan(), makeSpan()]);
	expect((await post(receiver, body, PROTOBUF)).status).toBe(200);
	expect((await post(receiver, body, PROTOBUF)).status).toBe(200);
	expect(receiver.storedSpans()).toHaveLength(2);
	expect(receiver.ingest.health()).toMatchObject({ acceptedSpans: 4, duplicateSpans: 2 });
});

test("keeps 64-bit integers, bytes, NaN and infinity, from JSON", async () => {
	const receiver = await start();
	const attributes = [
		{ key: "max", value: { intValue: "9223372036854775807" } },
		{ key: "number", value: { intValue: 7 } },
		{ key: "bytes", value: { bytesValue: "AAEC/w==" } },
		{ key: "nan", value: { doubleValue: "NaN" } },
		{ key: "infinity", value: { doubleValue: "-Infinity" } },
		{ key: "unknown", value: { stringValue: "x" }, future: true },
	];
	expect((await post(receiver, jsonSpan({ attributes }), JSON_TYPE)).status).toBe(200);
	expect(receiver.storedSpans()[0]?.span.attributes.map(({ value }) => value)).toEqual([
		{ type: "int", value: 9_223_372_036_854_775_807n },
		{ type: "int", value: 7n },
		{ type: "bytes", value: Uint8Array.of(0, 1, 2, 255) },
		{ type: "double", value: Number.NaN },
		{ type: "double", value: Number.NEGATIVE_INFINITY },
		{ type: "string", value: "x" },
	]);
});

test.each(["protobuf", "json"])("keys that look like JavaScript or paths are data, in %s", async (format) => {
	const receiver = await start();
	const keys = ["__proto__", "constructor.prototype", "a", "a.b", ".".repeat(10_000), "", "toString", "gen_ai."];
	const response =
		format === "protobuf"
			? await post(
					receiver,
					encodeSpans([makeSpan({ attributes: keys.map((key) => stringAttribute(key, "x")) })]),
					PROTOBUF,
				)
			: await post(
					receiver,
					jsonSpan({ attributes: keys.map((key) => ({ key, value: { stringValue: "x" } })) }),
					JSON_TYPE,
				);
	expect(response.status).toBe(200);
	expect(receiver.storedSpans()[0]?.span.attributes.map(({ key }) => key)).toEqual(keys);
});

test("puts spans into the project of the header, else of the resource, else of the setting", async () => {
	const receiver = await start({ SERVICE_PROJECT_NAME: "fallback" });
	const resource = [stringAttribute("openinference.project.name", " from resource ")];
	const named = () => encodeSpans([makeSpan()], resource);
	await post(receiver, named(), { ...PROTOBUF, "x-project-name": "from header" });
	await post(receiver, named(), PROTOBUF);
	await post(receiver, named(), { ...PROTOBUF, "x-project-name": " " });
	await post(receiver, encodeSpans([makeSpan()], [stringAttribute("service.name", "not used")]), PROTOBUF);
	await post(receiver, named(), { ...PROTOBUF, "x-project-name": Buffer.from("Größe").toString("latin1") });
	const projects = receiver.storedSpans().map(({ project }) => project);
	expect(projects.toSorted()).toEqual(["Größe", "fallback", "from header", "from resource", "from resource"]);
});

test("refuses names of projects that are too long instead of cutting them", async () => {
	const receiver = await start();
	const long = "n".repeat(256);
	const header = await post(receiver, jsonSpan({}), { ...JSON_TYPE, "x-project-name": long });
	expect(header.status).toBe(422);
	expect(await header.json()).toMatchObject({ message: expect.stringContaining("256 characters") });

	const resource = [stringAttribute("openinference.project.name", long)];
	const partly = await post(receiver, encodeSpans([makeSpan(), makeSpan()], resource), PROTOBUF);
	expect(partly.status).toBe(200);
	expect(Buffer.from(await partly.arrayBuffer()).toString()).toContain("(2 times)");
	expect(receiver.ingest.health().rejectedSpans).toEqual({ project_name_too_long: 2 });
	expect(receiver.storedSpans()).toHaveLength(0);
});

test("takes the path of the Langfuse SDKs, and says that metrics are not for us", async () => {
	const receiver = await start();
	const langfuse = await post(receiver, encodeSpans([makeSpan()]), PROTOBUF, "/api/public/otel/v1/traces");
	expect(langfuse.status).toBe(200);
	expect(receiver.storedSpans()).toHaveLength(1);
	const metrics = await post(receiver, "{}", JSON_TYPE, "/v1/metrics");
	expect(metrics.status).toBe(404);
	expect(await metrics.json()).toEqual({ code: 12, message: expect.stringContaining("OTEL_METRICS_EXPORTER") });
	const inProtobuf = await post(receiver, Uint8Array.of(0), PROTOBUF, "/v1/metrics");
	expect([inProtobuf.status, inProtobuf.headers.get("content-type")]).toEqual([404, "application/x-protobuf"]);
	expect(Buffer.from(await inProtobuf.arrayBuffer()).toString()).toContain("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
});

test("keeps GenAI events of spans and events of agents, and refuses other log records by their number", async () => {
	const receiver = await start();
	const event = {
		timeUnixNano: "1544712660300000000",
		eventName: "gen_ai.user.message",
		traceId: "5b8efff798038103d269b633813fc60c",
		spanId: "eee19b7ec3c1b174",
		body: { stringValue: "hello" },
	};
	const other = { ...event, eventName: "app.started" };
	const attributes = [
		{ key: "event.name", value: { stringValue: "codex.user_prompt" } },
		{ key: "conversation.id", value: { stringValue: "c" } },
	];
	const prompt = { timeUnixNano: "1544712660300000000", attributes };
	const logRecords = [event, other, prompt, other];
	const body = JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] });
	const response = await post(receiver, body, JSON_TYPE, "/v1/logs");
	expect(response.status).toBe(200);
	expect(await response.json()).toEqual({
		partialSuccess: {
			rejectedLogRecords: "2",
			errorMessage: expect.stringMatching(/^2 log records were not kept: .*\.$/),
		},
	});
	expect(receiver.ingest.health()).toMatchObject({ acceptedSpans: 1, acceptedLogRecords: 1, ignoredLogRecords: 2 });
	expect(receiver.storedSpans().map(({ span }) => span.name)).toEqual(["prompt"]);
});

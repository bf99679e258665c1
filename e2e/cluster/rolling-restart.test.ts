import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { credentials, Client as GrpcClient } from "@grpc/grpc-js";
import { OTLPTraceExporter as GrpcExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as HttpExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from "@opentelemetry/sdk-trace-node";
import { afterAll, beforeAll, expect } from "vitest";
import { findLosses } from "../crash.ts";
import { createLoad } from "../load.ts";
import { Balancer } from "./balancer.ts";
import { HAS_POSTGRES, type Servers, startTwoServers, testOnPostgres as test } from "./servers.ts";

const SENDERS = 3;
const REST_MS = 50;
const EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

let servers: Servers;
beforeAll(async () => {
	if (HAS_POSTGRES) servers = await startTwoServers({ SERVICE_DRAIN_SECONDS: "3" });
});
afterAll(() => servers?.[Symbol.asyncDispose]());

test("restarting one server after the other loses no request behind a balancer that sends nothing twice", {
	timeout: 1_200_000,
}, async () => {
	const all = [servers.one, servers.two];
	await using balancer = await Balancer.start(all);
	const makeRequest = createLoad();
	const acknowledged = new Set<string>();
	const byGrpc = new Set<string>();
	const failed: string[] = [];
	let exported = 0;
	let sequence = 0;
	let isOver = false;

	/** By nobody who would try again. */
	async function sendByHttp(): Promise<void> {
		while (!isOver) {
			const { body, spanKeys } = makeRequest(sequence++);
			const headers = { "content-type": "application/x-protobuf" };
			const response = await fetch(`${balancer.url}/v1/traces`, { method: "POST", headers, body: Buffer.from(body) });
			const answer = await response.text();
			if (response.status === 200 && answer === "") for (const key of spanKeys) acknowledged.add(key);
			else failed.push(`${response.status} ${answer}`);
			const read = await fetch(`${balancer.url}/v1/projects`);
			if (read.status !== 200) failed.push(`${read.status} ${await read.text()}`);
			else await read.arrayBuffer();
			await sleep(REST_MS);
		}
	}

	/** On a connection of its own. A call that the client itself could no longer make on a connection is no failure: it calls anew. */
	async function sendByGrpc(): Promise<void> {
		const options = { "grpc.use_local_subchannel_pool": 1 };
		const client = new GrpcClient(balancer.grpcAddress, credentials.createInsecure(), options);
		while (!isOver) {
			const { body, spanKeys } = makeRequest(sequence++);
			const error = await new Promise<Error | null>((resolve) => {
				const same = (bytes: Buffer) => bytes;
				client.makeUnaryRequest(EXPORT, same, same, Buffer.from(body), (refusal) => resolve(refusal));
			});
			if (error !== null) failed.push(`gRPC: ${error.message}`);
			else
				for (const key of spanKeys) {
					acknowledged.add(key);
					byGrpc.add(key);
				}
			await sleep(REST_MS);
		}
		client.close();
	}

	/** As applications do. */
	async function sendBy(exporter: SpanExporter): Promise<void> {
		const provider = new NodeTracerProvider({
			resource: resourceFromAttributes({ "openinference.project.name": "applications" }),
			spanProcessors: [new BatchSpanProcessor(exporter)],
		});
		while (!isOver) {
			provider.getTracer("application").startSpan("step").end();
			await provider.forceFlush().catch((error: unknown) => failed.push(`an exporter: ${error}`));
			exported += 1;
			await sleep(REST_MS);
		}
		await provider.shutdown();
	}

	const senders = [
		...Array.from({ length: SENDERS }, sendByHttp),
		...Array.from({ length: SENDERS }, sendByGrpc),
		sendBy(new HttpExporter({ url: `${balancer.url}/v1/traces` })),
		sendBy(new GrpcExporter({ url: `http://${balancer.grpcAddress}` })),
	];
	for (const server of all) {
		const before = [acknowledged.size, byGrpc.size];
		await expect.poll(() => acknowledged.size).toBeGreaterThan(before[0] ?? 0);
		await expect.poll(() => byGrpc.size).toBeGreaterThan(before[1] ?? 0);
		expect(await server.stop()).toBe(0);
		await server.start();
		await expect.poll(() => balancer.ready).toBe(2);
	}
	isOver = true;
	await Promise.all(senders);
	expect(failed).toEqual([]);
	expect(await findLosses(servers.one, acknowledged)).toEqual([]);
	const stored =
		"select count(*) from spans join projects on projects.id = project_id where projects.name = 'applications'";
	expect(await servers.sql(stored)).toBe(String(exported));
});

test("a server that is about to stop says so, goes on answering meanwhile, and waits for nobody who stands still", async () => {
	const { one, two } = servers;
	const view = await fetch(`${one.url}/v1/projects/default/stream`);
	await using still = new AsyncDisposableStack();
	const sender = still.adopt(connect(one.port, "127.0.0.1"), (socket) => void socket.destroy());
	sender.write(
		"POST /v1/traces HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-protobuf\r\ncontent-length: 9\r\n\r\n.",
	);
	const reader = still.adopt(connect(one.port, "127.0.0.1"), (socket) => void socket.destroy());
	reader.write("GET /v1/projects/load/spans.ndjson HTTP/1.1\r\nhost: x\r\n\r\n");
	await once(reader.pause(), "readable");
	const caller = still.adopt(connectHttp2(`http://${one.grpcAddress}`), (session) => session.destroy());
	const call = caller.request({ ":method": "POST", ":path": EXPORT, "content-type": "application/grpc" });
	call.on("error", () => undefined).write(".");
	await new Promise((resolve) => caller.ping(resolve)); // it has what was sent before

	const stopped = one.stop();
	await expect.poll(async () => (await fetch(`${one.url}/readyz`)).status).toBe(503);
	const answer = await fetch(`${one.url}/v1/projects`);
	expect([answer.status, answer.headers.get("connection")]).toEqual([200, "close"]);
	expect((await fetch(`${one.url}/healthz`)).status).toBe(200);
	expect((await fetch(`${two.url}/readyz`)).status).toBe(200);
	await view.text(); // to its end
	// Not ended by force, as it is after ten seconds.
	expect(await stopped).toBe(0);
	expect(one.output).not.toContain("stopping anyway");
});

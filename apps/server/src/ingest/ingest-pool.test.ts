import { Worker } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import { readConfig } from "#base/config.ts";
import type { ExportAnswer, ExportRequest } from "./ingest.ts";
import { type IngestOptions, IngestPool } from "./ingest-pool.ts";

/**
 * Stands for `worker.ts`: answers 200 after a moment, a body that starts with 2 later, with 3 never, with 4 as one that
 * has a pace; with 1 it dies.
 */
const THREAD = `
	const { parentPort } = require("node:worker_threads");
	parentPort.on("message", (message) => {
		if (message === "stop") return parentPort.close();
		if (message.body[0] === 3) return;
		if (message.body[0] === 1) throw new Error("the thread dies");
		const answer = { status: 200, code: 0, message: "", accepted: 1, rejected: 0, rejectedMessage: "" };
		const report = { answers: [{ id: message.id, answer }], written: 1, duplicates: 0, logRecords: 0,
			ignoredLogRecords: 0, rejected: {}, changes: [{ projectId: 1, traceRowIds: [7] }], commitMs: [3], errors: [],
			...(message.body[0] === 4 ? { insertIntervalMs: 400 } : {}) };
		setTimeout(() => parentPort.postMessage(report), message.body[0] === 2 ? 500 : 20);
	});
`;

const pools: IngestPool[] = [];
afterEach(async () => {
	for (const pool of pools.splice(0)) await pool[Symbol.asyncDispose]();
});

function openPool(environment: Record<string, string> = {}, options: Partial<IngestOptions> = {}) {
	const started: Worker[] = [];
	const ended: number[] = [];
	const changes: unknown[] = [];
	const pool = new IngestPool(readConfig(environment), {
		startWorker: () => {
			const worker = new Worker(THREAD, { eval: true });
			started.push(worker);
			return worker;
		},
		onWorkerExit: (threadId) => ended.push(threadId),
		onChange: (change) => changes.push(change),
		log: { warn: () => {}, error: () => {} },
		now: () => 1_000,
		...options,
	});
	pools.push(pool);
	return { pool, started, ended, changes };
}

function request(firstByte = 0, bytes = 10): ExportRequest {
	const body = new Uint8Array(bytes);
	body[0] = firstByte;
	return { signal: "traces", format: "protobuf", encoding: "identity", body };
}

test("while the database is away, waiting requests are refused soon and new ones at once; afterwards all is as before", async () => {
	const { pool, started } = openPool();
	await pool.submit(request());
	const waiting = pool.submit(request(3)); // is never answered by its thread
	pool.setReachable("database", false);
	pool.refuseWith(undefined); // for another reason, which is none
	expect(await pool.submit(request())).toMatchObject({ status: 503, retryAfter: 2, reason: "database_unreachable" });
	expect(await waiting).toMatchObject({ status: 503, retryAfter: 2, reason: "database_unreachable" });
	expect(pool.health()).toMatchObject({ queuedRequests: 0, queuedBytes: 0 });
	pool.setReachable("database", true);
	expect(await pool.submit(request())).toMatchObject({ status: 200 });
	expect(started).toHaveLength(2);
});

test("while traces alone are away requests are refused for that, and nothing else ends it", async () => {
	const { pool } = openPool();
	await pool.submit(request());
	const waiting = pool.submit(request(3));
	pool.setReachable("traces", false);
	const away = { status: 503, code: 14, retryAfter: 2, reason: "storage_unreachable" };
	expect(pool.refusing).toMatchObject(away);
	expect(await pool.submit(request())).toMatchObject(away);
	expect(await waiting).toMatchObject(away);
	pool.setReachable("database", false);
	expect(pool.refusing).toMatchObject({ reason: "database_unreachable" });
	pool.setReachable("database", true);
	expect(pool.refusing).toMatchObject(away);
	pool.setReachable("traces", true);
	expect(await pool.submit(request())).toMatchObject({ status: 200 });
});

test("starts no thread before the first request, and one for small ones", async () => {
	const { pool, started, changes } = openPool();
	expect(started).toHaveLength(0);
	const answers = await Promise.all(Array.from({ length: 20 }, () => pool.submit(request())));
	expect(answers.every(({ status }) => status === 200)).toBe(true);
	expect(started).toHaveLength(1);
	expect(changes).toHaveLength(20);
	expect(pool.health()).toMatchObject({ acceptedSpans: 20, commits: 20, queuedRequests: 0, queuedBytes: 0 });
	expect(pool.commitHistogram().buckets).toContainEqual({ atMostMs: 5, count: 20 });
});

test("reports a group of exports, unless all of it is self-tracing of other servers", async () => {
	const ids: number[] = [];
	const { pool } = openPool({}, { onGroup: ({ answers }) => ids.push(...answers.map(({ id }) => id)) });
	await pool.submit(request());
	await pool.submit({ ...request(), isSelfTracing: true });
	await pool.submit({ ...request(), isSelfTracing: false });
	expect(ids).toEqual([1, 3]);
});

test("shares large requests out between the threads", async () => {
	const { pool, started } = openPool();
	await Promise.all([pool.submit(request(0, 1_000_000)), pool.submit(request(0, 1_000_000))]);
	expect(started).toHaveLength(2);
});

test("tells the pace of its threads, with which one thread takes larger requests, too", async () => {
	const { pool, started } = openPool({}, { idleMs: 50 });
	expect(pool.insertIntervalMs()).toBeUndefined();
	await pool.submit(request(4));
	expect(pool.insertIntervalMs()).toBe(400);
	await Promise.all([pool.submit(request(4, 1_000_000)), pool.submit(request(4, 1_000_000))]);
	expect(started).toHaveLength(1);
	await expect.poll(() => pool.insertIntervalMs()).toBeUndefined();
});

test("answers 503 with a delay when the queue is full, at once", async () => {
	const { pool } = openPool({ SERVICE_INGEST_QUEUE_BYTES: "1048576" });
	void pool.submit(request(2, 1_000_000));
	const refused = await pool.submit(request(0, 1_000_000));
	expect(refused).toMatchObject({ status: 503, code: 14, retryAfter: 1, reason: "queue_full" });
	expect(pool.health()).toMatchObject({ queuedRequests: 1, refusedRequests: { queue_full: 1 } });
	expect(pool.health().lastError?.message).toContain("capacity");
});

test("answers 503 for the requests of a thread that dies, and goes on with another", async () => {
	const { pool, started, ended } = openPool({ SERVICE_INGEST_WORKERS: "1" });
	// It does not start threads in a loop: a new one comes a moment after the old one died.
	const andNext = async (answer: Promise<ExportAnswer>) => [await answer, await pool.submit(request())] as const;
	const [waiting, [deadly, next]] = await Promise.all([pool.submit(request(2)), andNext(pool.submit(request(1)))]);
	expect(waiting).toMatchObject({ status: 503, code: 14, retryAfter: 1 });
	expect(deadly).toMatchObject({ status: 503, reason: "worker_failed" });
	expect(ended).toHaveLength(1);
	expect(pool.health().queuedBytes).toBe(0);
	expect(next).toMatchObject({ status: 503, reason: "worker_failed" });
	await expect.poll(async () => (await pool.submit(request())).status).toBe(200);
	expect(started).toHaveLength(2);
});

test("ends a thread that has nothing to do, and starts another when there is", async () => {
	const { pool, started, ended } = openPool({}, { idleMs: 50 });
	await pool.submit(request());
	await expect.poll(() => ended).toHaveLength(1);
	expect(await pool.submit(request())).toMatchObject({ status: 200 });
	expect(started).toHaveLength(2);
	expect(pool.health().refusedRequests).toEqual({});
});

test("answers what is queued before it ends, and nothing after", async () => {
	const { pool } = openPool();
	const queued = Promise.all([pool.submit(request()), pool.submit(request())]);
	await pool[Symbol.asyncDispose]();
	expect((await queued).map(({ status }) => status)).toEqual([200, 200]);
	expect(await pool.submit(request())).toMatchObject({ status: 503, reason: "stopping" });
});

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { repairBatches } from "../../apps/server/src/storage/traces/clickhouse/upkeep/repair.ts";
import { randomFrom, randomTestSpans } from "../../apps/server/src/storage/traces/conformance/random-spans.ts";
import {
	allTraces,
	expectTotals,
	identities,
	projectId,
	storedIdentities,
} from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import { type TestSpan, testSpan } from "../../apps/server/src/storage/traces/test-spans.ts";
import { distinct } from "../../apps/server/src/storage/traces/test-totals.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { type ClickHouseUnderTest, openStore } from "./open-store.ts";

const test = testWith("clickhouse");

let clickhouse: ClickHouse;

beforeAll(async () => {
	clickhouse = await startClickHouse({});
});
afterAll(() => clickhouse[Symbol.asyncDispose]());
beforeEach(() => clickhouse.heal());

/** Writers in threads of their own, as those of a server. */
class WriterThreads implements AsyncDisposable {
	readonly #workers: readonly Worker[];

	constructor({ writerOptions }: ClickHouseUnderTest, count: number) {
		const url = new URL("./writer-thread.ts", import.meta.url);
		this.#workers = Array.from({ length: count }, () => new Worker(url, { workerData: writerOptions }));
	}

	/** @returns how many of the spans were new */
	async write(thread: number, spans: readonly TestSpan[]): Promise<number> {
		const worker = this.#worker(thread);
		worker.postMessage(spans);
		const [written] = await once(worker, "message");
		return written as number;
	}

	/** Ends a thread wherever it is. @returns its id */
	async end(thread: number): Promise<number> {
		const worker = this.#worker(thread);
		const { threadId } = worker;
		await worker.terminate();
		return threadId;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all(this.#workers.map((worker) => worker.terminate()));
	}

	#worker(thread: number): Worker {
		const worker = this.#workers[thread];
		if (worker === undefined) throw new RangeError(`there is no thread ${thread}`);
		return worker;
	}
}

test("K15 K24 the same export in several threads of a server with SQLite at once is stored once", async () => {
	await using store = await openStore(clickhouse, "sqlite");
	await using threads = new WriterThreads(store, 4);
	const spans = randomTestSpans(randomFrom(21), 80, ["default", "another"]);
	const stored = distinct(spans.map(testSpan));
	const written = await Promise.all([0, 1, 2, 3].map((thread) => threads.write(thread, spans)));
	expect(written.reduce((sum, count) => sum + count, 0)).toBe(stored.length);
	expect([...(await storedIdentities(store, "default")), ...(await storedIdentities(store, "another"))].sort()).toEqual(
		identities(stored).sort(),
	);
	await expectTotals(store, stored);
});

test("K17 K23 spans of the same traces in several threads at once have one row and right totals", async () => {
	await using store = await openStore(clickhouse, "sqlite");
	await using threads = new WriterThreads(store, 3);
	const spans = Array.from({ length: 20 * 9 }, (_, index): TestSpan => {
		const [trace, span] = [1 + (index % 20), 1 + Math.floor(index / 20)];
		const parent = span === 1 ? {} : { parent: Math.floor(span / 2) };
		return { trace, span, start: 1_000 * span, session: `s${trace % 5}`, ...parent, tokens: { prompt: 10 * span } };
	});
	const ofThread = Map.groupBy(spans, ({ span = 0 }) => span % 3);
	await Promise.all(
		[...ofThread].map(async ([thread, own]) => {
			for (const part of Map.groupBy(own, ({ span }) => span).values()) await threads.write(thread, part);
		}),
	);
	expect(await allTraces(store, await projectId(store))).toHaveLength(20);
	await expectTotals(store, spans.map(testSpan));
});

test("K20 a thread that ends between its inserts holds nobody up, and what it left behind is repaired", async () => {
	await using store = await openStore(clickhouse, "sqlite");
	await using threads = new WriterThreads(store, 2);
	const root = { trace: 1, span: 1, tokens: { prompt: 1 }, session: "s" };
	await threads.write(0, [root]);
	await clickhouse.fail([{ match: "insert into (traces|hours) ", kind: "delay", ms: 3_600_000, times: 100 }]);
	const child = { trace: 1, span: 2, parent: 1, start: 5, tokens: { prompt: 2 }, session: "s" };
	threads.write(0, [child]).catch(() => undefined);
	await expect.poll(() => clickhouse.countFaults()).toBeGreaterThan(0);
	const ended = await threads.end(0);
	await clickhouse.heal();
	store.metadata.releaseWriter(ended);
	const another = { trace: 1, span: 3, parent: 1, start: 9, session: "s" };
	expect(await threads.write(1, [another])).toBe(1);
	await using turns = store.metadata.openTurns();
	const repaired = await repairBatches({ shards: store.shards, db: store.db, turns }, 0);
	expect(repaired.batches).toBeGreaterThan(0);
	await expectTotals(store, [root, child, another].map(testSpan));
});

import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { SpanPrices } from "#pricing/price-of.ts";
import {
	type NormalizedSpan,
	StorageUnavailable,
	type TraceWriter,
	type WritePace,
	type WriteResult,
} from "#storage/traces/span-batch.ts";
import { createExportDecoder } from "../decode-export.ts";
import type { ExportAnswer } from "../ingest.ts";
import { encodeSpans, makeSpan } from "../test-receiver.ts";
import type { GroupReport } from "../worker-messages.ts";
import { ExportWriter, type ExportWriterOptions } from "./export-writer.ts";
import { SharedPace } from "./shared-pace.ts";

const HOUR_MS = 3_600_000;
/** Long enough that no test sees its end; spans of a name that is a number are in that partition. */
const SLOW: WritePace = {
	...{ intervalMs: HOUR_MS, rows: 1_000, bytes: 1_000_000_000 },
	farPartitionOf: ({ name }) => (Number.isNaN(Number(name)) ? undefined : Number(name)),
	...{ farPartitions: 10, farPartitionsPerSecond: 1_000_000 },
};

/** Keeps the names of spans, by write; each span is stored once. */
class MemoryStorage {
	readonly writes: string[][] = [];
	/** Those of `writes` that others do not wait for. */
	readonly writesBeside: string[][] = [];
	readonly pace: WritePace | undefined;
	/** Writes wait for it. */
	held: Promise<void> | undefined;
	readonly #stored = new Set<string>();

	constructor(pace?: WritePace) {
		this.pace = pace;
	}

	open(): TraceWriter {
		const write = async (spans: readonly NormalizedSpan[]) => await this.#write(spans);
		const writeBeside = async (spans: readonly NormalizedSpan[]) => {
			this.writesBeside.push(spans.map(({ name }) => name));
			return await this.#write(spans);
		};
		const paced = this.pace === undefined ? {} : { pace: this.pace, writeBeside };
		return { write, ...paced, [Symbol.asyncDispose]: async () => {} };
	}

	async #write(spans: readonly NormalizedSpan[]): Promise<WriteResult> {
		this.writes.push(spans.map(({ name }) => name));
		await this.held;
		const fresh = spans.filter(({ spanId }) => !this.#stored.has(spanId));
		for (const { spanId } of fresh) this.#stored.add(spanId);
		return { written: fresh.length, duplicates: spans.length - fresh.length, logRecords: 0, changes: [] };
	}
}

let stack = new AsyncDisposableStack();
afterEach(async () => {
	await stack.disposeAsync();
	stack = new AsyncDisposableStack();
});

/** An ingest thread's work, in this one. */
function openExports(storage: MemoryStorage, options: Partial<ExportWriterOptions> = {}) {
	const answers = new Map<number, (answer: ExportAnswer) => void>();
	const reports: GroupReport[] = [];
	const limits = { attributesPerSpan: 10, attributeBytes: 1_000, depth: 10 };
	const settings = { maxInflatedBytes: 1_000_000, limits, defaultProjectName: "default" };
	const exports = stack.use(
		new ExportWriter({
			decode: createExportDecoder(settings, new SpanPrices()),
			openWriter: async () => storage.open(),
			takeAll: () => {},
			report: (report) => {
				reports.push(report);
				for (const { id, answer } of report.answers) answers.get(id)?.(answer);
			},
			paceMemory: SharedPace.createMemory(),
			queueBytes: 1_000_000_000,
			...options,
		}),
	);
	let isRunning = false;
	const run = async () => {
		if (isRunning) return;
		isRunning = true;
		await exports.run();
		isRunning = false;
	};
	const sendBody = (body: Uint8Array<ArrayBuffer>) => {
		const id = answers.size + 1;
		const answer = new Promise<ExportAnswer>((resolve) => answers.set(id, resolve));
		exports.push({ id, body, signal: "traces", format: "protobuf", encoding: "identity" });
		void run();
		return answer;
	};
	const send = (...names: string[]) => sendBody(encodeSpans(names.map((name) => makeSpan({ name }))));
	return { send, sendBody, reports };
}

function names(from: number, count: number): string[] {
	return Array.from({ length: count }, (_, index) => String(from + index));
}

test("without a pace, what arrives while a write is under way is the next one", async () => {
	const storage = new MemoryStorage();
	const { promise: held, resolve: release } = Promise.withResolvers<void>();
	storage.held = held;
	const { send, reports } = openExports(storage);
	const first = send("a");
	await expect.poll(() => storage.writes).toEqual([["a"]]);
	const others = [send("b"), send("c")];
	release();
	expect((await Promise.all([first, ...others])).map(({ status }) => status)).toEqual([200, 200, 200]);
	expect(storage.writes).toEqual([["a"], ["b", "c"]]);
	expect(reports.every(({ insertIntervalMs }) => insertIntervalMs === undefined)).toBe(true);
});

test("K25 an idle writer inserts at once, however long the interval is", async () => {
	const storage = new MemoryStorage(SLOW);
	const { send, reports } = openExports(storage);
	const heldFor = sleep(4_000, "held");
	expect(await Promise.race([send("a"), heldFor])).toMatchObject({ status: 200, accepted: 1 });
	expect(reports).toMatchObject([{ insertIntervalMs: HOUR_MS }]);
});

test("a busy writer gathers what arrives within the interval into one write", async () => {
	const storage = new MemoryStorage({ ...SLOW, intervalMs: 2_000 });
	const { send } = openExports(storage);
	await send("a");
	const others = [send("b")];
	await sleep(0);
	others.push(send("c"), send("d"));
	expect((await Promise.all(others)).map(({ accepted }) => accepted)).toEqual([1, 1, 1]);
	expect(storage.writes).toEqual([["a"], ["b", "c", "d"]]);
});

test("enough spans end the wait for the interval", async () => {
	const storage = new MemoryStorage({ ...SLOW, rows: 5 });
	const { send } = openExports(storage);
	await send("first");
	const answers = Promise.all([send("a", "b"), send("c", "d"), send("e")]);
	expect(await Promise.race([answers, sleep(4_000, "held")])).toHaveLength(3);
	expect(storage.writes).toEqual([["first"], ["a", "b", "c", "d", "e"]]);
});

test("enough bytes, or a full queue, end the wait for the interval", async () => {
	for (const [pace, queueBytes] of [
		[{ ...SLOW, bytes: 150 }, 1_000_000],
		[SLOW, 5_000],
	] as const) {
		const storage = new MemoryStorage(pace);
		const { send } = openExports(storage, { queueBytes });
		await send("first");
		const answers = Promise.all([send("a"), send("b"), send("c")]);
		expect(await Promise.race([answers, sleep(4_000, "held")])).toHaveLength(3);
		expect(storage.writes.flat()).toEqual(["first", "a", "b", "c"]);
	}
});

test("what has nothing to store does not wait", async () => {
	const storage = new MemoryStorage(SLOW);
	const { send, sendBody } = openExports(storage);
	await send("first");
	void send("waits");
	expect(await sendBody(new Uint8Array([255, 255]))).toMatchObject({ status: 422 });
	expect(await send()).toMatchObject({ status: 200, accepted: 0 });
	expect(storage.writes).toEqual([["first"]]);
});

test("two threads keep one pace", async () => {
	const paceMemory = SharedPace.createMemory();
	const storage = new MemoryStorage({ ...SLOW, rows: 2 });
	const one = openExports(storage, { paceMemory });
	const other = openExports(storage, { paceMemory });
	await one.send("a");
	const waits = other.send("b");
	await sleep(50);
	expect(storage.writes).toEqual([["a"]]);
	await Promise.all([waits, other.send("c")]);
	expect(storage.writes).toEqual([["a"], ["b", "c"]]);
});

test("a writer that cannot be opened is an answer, and the next export tries again", async () => {
	const storage = new MemoryStorage(SLOW);
	let tries = 0;
	const openWriter = async () => {
		tries += 1;
		if (tries === 1) throw new StorageUnavailable("unreachable", new Error("away"));
		return storage.open();
	};
	const { send } = openExports(storage, { openWriter });
	expect(await send("a")).toMatchObject({ status: 503 });
	expect(await send("a")).toMatchObject({ status: 200 });
});

test("K28 an export of many partitions goes by itself, a few at a time, and the others do not wait for it", async () => {
	const storage = new MemoryStorage({ ...SLOW, intervalMs: 1 });
	const { promise: held, resolve: release } = Promise.withResolvers<void>();
	const { send } = openExports(storage);
	await send("first");
	storage.held = held;
	const far = send(...names(100, 25));
	await expect.poll(() => storage.writes.length).toBe(2);
	storage.held = undefined;
	for (const name of ["a", "b", "c"]) expect(await send(name)).toMatchObject({ status: 200 });
	release();
	expect(await far).toMatchObject({ status: 200, accepted: 25 });
	expect(storage.writes).toEqual([
		["first"],
		names(100, 10),
		...[["a"], ["b"], ["c"]],
		...[names(110, 10), names(120, 5)],
	]);
	expect(storage.writesBeside).toEqual([names(100, 10), names(110, 10), names(120, 5)]);
});

test("exports of one far partition each share a write, but no more of them than a write may touch", async () => {
	const storage = new MemoryStorage({ ...SLOW, rows: 13 });
	const { send } = openExports(storage);
	await send("first");
	const answers = names(100, 12).map((name) => send(name));
	answers.push(send("a", "b", "c"));
	expect((await Promise.all(answers)).every(({ status }) => status === 200)).toBe(true);
	expect(storage.writes).toContainEqual([...names(100, 10), "a", "b", "c"]);
	expect(storage.writes).toContainEqual(names(110, 2));
});

test("exports of many partitions share a write as long as they are few enough together, fewest first", async () => {
	const storage = new MemoryStorage(SLOW);
	const { send, reports } = openExports(storage);
	await send("first");
	const answers = [send(...names(0, 90)), send(...names(0, 11)), send(...names(200, 20)), send(...names(0, 12))];
	expect((await Promise.all(answers)).map(({ accepted }) => accepted)).toEqual([90, 11, 20, 12]);
	expect(reports.slice(1).map((report) => report.answers.map(({ id }) => id))).toEqual([[3, 5, 4], [2]]);
	expect(storage.writes.every((write) => new Set(write).size <= 10)).toBe(true);
});

test("partitions are written at a bounded rate, but for what was stored before", async () => {
	// Ten partitions take a second.
	const storage = new MemoryStorage({ ...SLOW, farPartitionsPerSecond: 10 });
	const { sendBody, send } = openExports(storage);
	await send("first");
	const body = encodeSpans(names(0, 25).map((name) => makeSpan({ name })));
	const began = performance.now();
	expect(await sendBody(body.slice())).toMatchObject({ status: 200, accepted: 25 });
	const storedAfter = performance.now() - began;
	expect(storedAfter).toBeGreaterThan(1_900);
	await sleep(600);
	const again = performance.now();
	expect(await sendBody(body.slice())).toMatchObject({ status: 200, accepted: 25 });
	expect(performance.now() - again).toBeLessThan(storedAfter);
});

test("an export of many partitions that waits for longer than its sender is refused, one that was begun is stored", async () => {
	const storage = new MemoryStorage(SLOW);
	const { promise: held, resolve: release } = Promise.withResolvers<void>();
	const { sendBody, send } = openExports(storage, { patienceMs: 1_000 });
	await send("first");
	storage.held = held;
	const begun = send(...names(0, 25));
	await expect.poll(() => storage.writes.length).toBe(2);
	const body = encodeSpans(names(100, 11).map((name) => makeSpan({ name })));
	const waits = sendBody(body.slice());
	await sleep(1_100);
	storage.held = undefined;
	release();
	expect(await begun).toMatchObject({ status: 200, accepted: 25 });
	expect(await waits).toMatchObject({ status: 503, reason: "storage_busy", retryAfter: expect.any(Number) });
	expect(await sendBody(body.slice())).toMatchObject({ status: 200, accepted: 11 });
});

test("so many exports of many partitions wait, and further ones are refused at once", async () => {
	const storage = new MemoryStorage(SLOW);
	const { promise: held, resolve: release } = Promise.withResolvers<void>();
	const { send } = openExports(storage);
	await send("first");
	storage.held = held;
	const first = send(...names(0, 11));
	await expect.poll(() => storage.writes.length).toBe(2);
	const waiting = Array.from({ length: 256 }, () => send(...names(0, 11)));
	expect(await send(...names(0, 11))).toMatchObject({ status: 503, retryAfter: expect.any(Number) });
	storage.held = undefined;
	release();
	expect((await Promise.all([first, ...waiting])).every(({ status }) => status === 200)).toBe(true);
});

test("spans of an export of many partitions that cannot be stored are named", async () => {
	const storage = new MemoryStorage(SLOW);
	const openWriter = async (): Promise<TraceWriter> => {
		const writer = storage.open();
		const writeBeside = async (spans: readonly NormalizedSpan[]) => {
			if (!spans.some(({ name }) => name === "7")) return await writer.write(spans, []);
			await sleep(300);
			throw new TypeError("cannot bind");
		};
		return { ...writer, writeBeside };
	};
	const { send, reports } = openExports(storage, { openWriter, patienceMs: 1_000 });
	await send("first");
	expect(await send(...names(0, 14))).toMatchObject({
		...{ status: 200, accepted: 13, rejected: 1 },
		rejectedMessage: expect.stringContaining('"7"'),
	});
	// Those of writes that failed are none.
	expect(reports.at(-1)?.commitMs).toHaveLength(storage.writes.length - 1);
});

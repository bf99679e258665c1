import type { Span } from "@spanward/otlp";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { ClickHouseSettings } from "../../apps/server/src/base/clickhouse-address.ts";
import { readConfig } from "../../apps/server/src/base/config.ts";
import { createIngest } from "../../apps/server/src/ingest/create-ingest.ts";
import type { ExportAnswer } from "../../apps/server/src/ingest/ingest.ts";
import { encodeSpans, makeSpan, stringAttribute } from "../../apps/server/src/ingest/test-receiver.ts";
import type { GroupReport } from "../../apps/server/src/ingest/worker-messages.ts";
import { types } from "../../apps/server/src/storage/clickhouse/row-binary.ts";
import { TABLES } from "../../apps/server/src/storage/traces/clickhouse/tables.ts";
import { projectId } from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { type ClickHouseUnderTest, openStore } from "./open-store.ts";

const test = testWith("clickhouse");

const DAY_NANOS = 86_400_000_000_000n;
/** Longer than a group may wait, however slow merges are. */
const LONG_MS = 60_000;
const LARGEST_EXPORT = 128 * 1024 * 1024;

let clickhouse: ClickHouse;

beforeAll(async () => {
	clickhouse = await startClickHouse();
});
afterAll(() => clickhouse[Symbol.asyncDispose]());
beforeEach(() => clickhouse.heal());

/** The queue of a server with its threads, writing to a store. */
function openIngest({ writerOptions, metadata }: ClickHouseUnderTest, settings: Partial<ClickHouseSettings>) {
	const reports: GroupReport[] = [];
	const config = readConfig({ SERVICE_OTLP_MAX_INFLATED_BYTES: String(LARGEST_EXPORT) });
	const ingest = createIngest(config, {
		storage: {
			writerOptions: { ...writerOptions, clickhouse: { ...writerOptions.clickhouse, ...settings } },
			releaseWriter: (threadId) => metadata.releaseWriter(threadId),
		},
		onChange: () => {},
		onGroup: (report) => reports.push(report),
		log: { warn: () => {}, error: () => {} },
		now: () => Date.now() * 1_000,
	});
	const submit = (body: Uint8Array<ArrayBuffer>) =>
		ingest.submit({ signal: "traces", format: "protobuf", encoding: "identity", body });
	return {
		...{ ingest, reports, submit },
		send: (...spans: Span[]) => submit(encodeSpans(spans)),
		/** How often the threads have written. */
		countWrites: () => reports.reduce((sum, { commitMs }) => sum + commitMs.length, 0),
		[Symbol.asyncDispose]: () => ingest[Symbol.asyncDispose](),
	};
}

/** A span that starts now. */
function newSpan(): Span {
	const now = BigInt(Date.now()) * 1_000_000n;
	return makeSpan({ startTimeUnixNano: now, endTimeUnixNano: now + 1n });
}

/** A span of each of so many days, from 1980 on. */
function spansOfDays(days: number): Span[] {
	return Array.from({ length: days }, (_, day) => {
		const start = BigInt(3_650 + day) * DAY_NANOS;
		return makeSpan({ startTimeUnixNano: start, endTimeUnixNano: start + 1n });
	});
}

async function count({ shard }: ClickHouseUnderTest, statement: string): Promise<number> {
	const [row] = await shard.select(statement, { count: types.Count });
	return row?.count ?? 0;
}

function countSpans(store: ClickHouseUnderTest): Promise<number> {
	return count(store, "select count() as count from spans final");
}

async function limitParts({ shard }: ClickHouseUnderTest, parts: number): Promise<void> {
	for (const { name } of TABLES)
		await shard.execute(`alter table ${name} modify setting parts_to_throw_insert = ${parts}`);
}

/** Merges of all databases of the engine stop. */
async function stopMerges({ shard }: ClickHouseUnderTest): Promise<AsyncDisposable> {
	await shard.execute("system stop merges");
	return { [Symbol.asyncDispose]: () => shard.execute("system start merges") };
}

test("K25 an export to an idle server is not held for the interval", async () => {
	await using store = await openStore(clickhouse);
	await using paced = openIngest(store, { insertIntervalMs: LONG_MS });
	// Starts a thread, which opens its writer, and writes nothing.
	await paced.send();
	const began = performance.now();
	expect(await paced.send(newSpan())).toMatchObject({ status: 200, accepted: 1 });
	const [wroteMs = 0] = paced.reports.flatMap(({ commitMs }) => commitMs);
	// Groups wait for up to 5 s.
	expect(performance.now() - began - wroteMs).toBeLessThan(5_000);
	expect(paced.ingest.insertIntervalMs()).toBe(LONG_MS);
});

test("K26 200 senders of one span each share few inserts", async () => {
	await using store = await openStore(clickhouse);
	const insertIntervalMs = 200;
	await using paced = openIngest(store, { insertIntervalMs });
	await paced.send();
	const countInserts = () =>
		count(store, "select toUInt64(value) as count from system.events where event = 'InsertQuery'");
	const before = await countInserts();
	const began = performance.now();
	const answers = await Promise.all(
		Array.from({ length: 200 }, async () => [await paced.send(newSpan()), await paced.send(newSpan())]),
	);
	const intervals = Math.ceil((performance.now() - began) / insertIntervalMs);
	expect(answers.flat().filter(({ status }) => status !== 200)).toEqual([]);
	expect(paced.countWrites()).toBeLessThanOrEqual(intervals + 1);
	expect((await countInserts()) - before).toBeLessThanOrEqual(paced.countWrites() * TABLES.length);
	expect(await countSpans(store)).toBe(400);
});

test("the interval grows while parts are too many, before inserts are refused, and is short again afterwards", async () => {
	await using store = await openStore(clickhouse);
	const insertIntervalMs = 20;
	await using paced = openIngest(store, { insertIntervalMs });
	await limitParts(store, 90);
	const statuses = new Set<number>();
	const intervalAfter = async () => {
		statuses.add((await paced.send(newSpan())).status);
		return paced.ingest.insertIntervalMs();
	};
	{
		await using _stopped = await stopMerges(store);
		await expect.poll(intervalAfter, { interval: 1 }).toBeGreaterThan(insertIntervalMs);
	}
	await expect.poll(intervalAfter).toBe(insertIntervalMs);
	expect([...statuses]).toEqual([200]);
});

test("K27 inserts that are refused for too many parts are answered 503, and all is stored once merges go on", async () => {
	await using store = await openStore(clickhouse);
	const insertIntervalMs = 20;
	await using paced = openIngest(store, { insertIntervalMs });
	await limitParts(store, 12);
	const bodies: Uint8Array<ArrayBuffer>[] = [];
	const refused: [body: Uint8Array<ArrayBuffer>, answer: ExportAnswer][] = [];
	{
		await using _stopped = await stopMerges(store);
		while ((paced.ingest.insertIntervalMs() ?? 0) < 16 * insertIntervalMs) {
			const body = encodeSpans([newSpan()]);
			bodies.push(body);
			const answer = await paced.submit(body.slice());
			if (answer.status !== 200) refused.push([body, answer]);
		}
	}
	expect(refused.length).toBeGreaterThan(0);
	for (const [, answer] of refused)
		expect(answer).toMatchObject({ status: 503, reason: "storage_busy", retryAfter: expect.any(Number) });
	for (const [body] of refused) await expect.poll(async () => (await paced.submit(body.slice())).status).toBe(200);
	expect(await countSpans(store)).toBe(bodies.length);
	// A third of the limit until now is as many parts as there are between two merges.
	await limitParts(store, 90);
	await expect
		.poll(async () => (await paced.send(newSpan())) && paced.ingest.insertIntervalMs())
		.toBe(insertIntervalMs);
});

test("the interval stays when ClickHouse does not tell of its parts, and exports are stored all the same", async () => {
	await using store = await openStore(clickhouse);
	await using paced = openIngest(store, { insertIntervalMs: 20 });
	await limitParts(store, 3);
	await clickhouse.fail([{ match: "system\\.parts", kind: "error", code: 497, times: 1_000 }]);
	await using _stopped = await stopMerges(store);
	const answers = [await paced.send(newSpan())];
	await expect.poll(() => clickhouse.countFaults()).toBeGreaterThan(0);
	answers.push(await paced.send(newSpan()));
	expect(answers.map(({ status }) => status)).toEqual([200, 200]);
	expect(paced.ingest.insertIntervalMs()).toBe(20);
});

test.each([
	["postgres", 128],
	["sqlite", 48],
] as const)(
	"K28 an export of many days is stored bit by bit, and others go on meanwhile, with metadata in %s",
	async (kind, days) => {
		await using store = await openStore(clickhouse, kind);
		await using paced = openIngest(store, { insertIntervalMs: 100 });
		await paced.send();
		const body = encodeSpans(spansOfDays(days));
		let isAnswered = false;
		const far = paced.submit(body.slice()).finally(() => {
			isAnswered = true;
		});
		const others: ExportAnswer[] = [];
		const sendOthers = async () => {
			while (!isAnswered) others.push(await paced.send(newSpan(), ...spansOfDays(3)));
		};
		await Promise.all([sendOthers(), sendOthers(), sendOthers(), sendOthers()]);
		expect(await far).toMatchObject({ status: 200, accepted: days });
		expect(others.length).toBeGreaterThan(4);
		expect(others.filter(({ status }) => status !== 200)).toEqual([]);
		expect(await paced.submit(body.slice())).toMatchObject({ status: 200, accepted: days });
		expect(await countSpans(store)).toBe(days + 4 * others.length);
	},
);

test("K31 an export with more content than one insert may have is stored, and answered once, beside others", async () => {
	await using store = await openStore(clickhouse);
	await using paced = openIngest(store, {});
	const text = "large ".repeat((14 * 1024 * 1024) / 6);
	const large = Array.from({ length: 5 }, () => ({ ...newSpan(), attributes: [stringAttribute("text", text)] }));
	const answers = await Promise.all([paced.send(newSpan()), paced.send(...large), paced.send(newSpan())]);
	expect(answers.map(({ status, accepted }) => [status, accepted])).toEqual([
		[200, 1],
		[200, 5],
		[200, 1],
	]);
	const query = { projectId: await projectId(store), sort: "id", order: "asc", limit: 10 } as const;
	const { items } = await store.traces.listStoredSpans(query);
	expect(items.filter(({ content }) => content.span.length > text.length)).toHaveLength(5);
	expect(items).toHaveLength(7);
});

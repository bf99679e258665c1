import type { ClientBase } from "pg";
import { expect } from "vitest";
import { withConnection } from "#storage/postgres/pool-connection.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { insertAnnotation } from "../conformance/annotations.ts";
import { allTraces, expectTotals, projectId } from "../conformance/store-under-test.ts";
import type { NormalizedSpan } from "../span-batch.ts";
import { readStoredTexts } from "../span-meaning.ts";
import { HOUR_0, testLog, testSpan, traceHex } from "../test-spans.ts";
import { divideNextMonth } from "./divide-months.ts";
import { ensureMonths, makePartitions } from "./partitions.ts";
import { DAY_MICROS } from "./periods.ts";
import { damageOf, openTestStore, type PostgresUnderTest } from "./test-store.ts";
import { keepTextIndex, withPool } from "./text/test-signatures.ts";
import { openPostgresTraceWriter } from "./trace-writer.ts";

/** In the month of `HOUR_0`, and the following one. */
const NOVEMBER_28 = Date.UTC(2023, 10, 28) * 1_000;
const DECEMBER = Date.UTC(2023, 11) * 1_000;
/** A size that no month has. */
const NEVER = Number.POSITIVE_INFINITY;

testWithPostgres("the month after a large one is partitioned by day, and those that have begun are not", async () => {
	await using store = await openTestStore();
	await keepPartitions(store, NOVEMBER_28, NEVER);
	await store.writer.write([spanAt(1, NOVEMBER_28)], []);
	expect(await partitions(store, "spans")).toEqual(["y2023m10", "y2023m11", "y2023m12", "y2024m01"]);

	await keepPartitions(store, NOVEMBER_28, 1);
	const days = ["d01", "d02", "d03", "d04", "d05", "d06"].map((day) => `y2023m12${day}`);
	expect(await partitions(store, "spans")).toEqual(["y2023m10", "y2023m11", ...days, "y2024m01"]);
	const ofBlocks = ["y2023m10", "y2023m11", "y2023m12d00", ...days, "y2024m01"];
	expect(await partitions(store, "blocks")).toEqual(ofBlocks);
	expect(await partitions(store, "block_text_groups")).toEqual(ofBlocks);

	// A day later nothing is large any more: the month stays as it is, and gets its next day.
	await keepPartitions(store, NOVEMBER_28 + DAY_MICROS, NEVER);
	expect(await partitions(store, "spans")).toEqual(["y2023m10", "y2023m11", ...days, "y2023m12d07", "y2024m01"]);
	await withClient(store, (client) => ensureMonths(client, DECEMBER, DECEMBER + DAY_MICROS));
	expect(await partitions(store, "spans")).not.toContain("y2023m12");
});

testWithPostgres("what came before a month is partitioned by day is found, and shared out to its days", async () => {
	await using store = await openTestStore();
	await keepPartitions(store, NOVEMBER_28, NEVER);
	const early = [1, 2, 20].map((day) => spanAt(day, DECEMBER + day * DAY_MICROS));
	await store.writer.write(early, []);
	await keepPartitions(store, NOVEMBER_28, 1);
	expect(await places(store)).toEqual(["y2023m12d02 y2023m12d00", "y2023m12d03 y2023m12d00", "default y2023m12d00"]);

	// The writer does not know of the days yet.
	const late = [spanAt(3, DECEMBER + 5), spanAt(4, DECEMBER + DAY_MICROS + 5)];
	await store.writer.write(late, []);
	const all = [...early, ...late];
	await expectFound(store, all);
	await keepTextIndex(store);
	await expectFound(store, all);

	const [found] = await store.traces.findTracesByTraceIds([traceHex(1)]);
	await store.traces.deleteTrace(found?.id ?? 0);
	await expectFound(store, all.slice(1));
});

testWithPostgres("a trace across midnight is written to both days, each with its own blocks", async () => {
	await using store = await openDivided();
	const midnight = DECEMBER + DAY_MICROS - HOUR_0;
	const spans = [
		testSpan({ trace: 1, span: 1, start: midnight - 1, duration: DAY_MICROS, input: wordOf(1) }),
		testSpan({ trace: 1, span: 2, parent: 1, start: midnight, isRunning: true, input: wordOf(2) }),
		testSpan({ trace: 2, span: 3, start: midnight - DAY_MICROS, input: wordOf(3) }),
	];
	await store.writer.write(spans, []);
	expect(await places(store)).toEqual([
		"y2023m12d01 y2023m12d01",
		"y2023m12d02 y2023m12d02",
		"y2023m12d01 y2023m12d01",
	]);
	const ended = testSpan({ trace: 1, span: 2, parent: 1, start: midnight, duration: 7, input: wordOf(2) });
	await store.writer.write([ended], [testLog({ trace: 2, span: 3, content: "said later" })]);
	await keepTextIndex(store);
	expect(await damageOf(store)).toEqual([]);
	const project = await projectId(store);
	for (const [text, number] of [
		[wordOf(1), 1],
		[wordOf(2), 2],
		["said later", 3],
	] as const)
		expect(await find(store, project, text)).toEqual([number]);
});

testWithPostgres("an expired day is dropped when no project keeps it, then what is left of its month", async () => {
	await using store = await openDivided();
	const days = [1, 2, 3].map((day) => spanAt(day, DECEMBER + (day - 1) * DAY_MICROS));
	const crossing = [
		spanAt(10, DECEMBER + 5),
		testSpan({ trace: 10, span: 11, start: DECEMBER + DAY_MICROS + 5 - HOUR_0, parent: 10 }),
	];
	const other = spanAt(12, DECEMBER + 2 * DAY_MICROS, "other");
	await store.writer.write([...days, ...crossing, other], []);
	await keepTextIndex(store);
	const project = await projectId(store);
	const rule = { projectId: project, beforeMicros: DECEMBER + 3 * DAY_MICROS, keepAnnotated: true };
	await insertAnnotation(store, { on: "trace", trace: 2, name: "liked" });

	const dropped: [number, number][] = [];
	const drop = async (rules: readonly Parameters<typeof store.traces.deleteExpired>[0][]) => {
		dropped.length = 0;
		await store.traces.dropExpired?.(rules, async (deleted) => dropped.push(...deleted) >= 0);
	};
	await drop([rule]);
	expect(dropped).toEqual([
		[project, 1],
		[project, 1],
	]);
	expect((await partitions(store, "spans")).slice(0, 2)).toEqual(["y2023m12d02", "y2023m12d03"]);
	expect((await allTraces(store, project)).map(({ traceId }) => traceId)).toEqual([traceHex(2), traceHex(3)]);
	expect(await damageOf(store)).toEqual([]);

	const ofOther = { ...rule, projectId: await projectId(store, "other") };
	await drop([
		{ ...rule, keepAnnotated: false },
		{ ...ofOther, beforeMicros: DECEMBER },
	]);
	expect((await partitions(store, "spans")).slice(0, 2)).toEqual(["y2023m12d03", "y2023m12d04"]);
	await drop([rule, ofOther].map((each) => ({ ...each, beforeMicros: DECEMBER + 40 * DAY_MICROS })));
	for (const table of ["spans", "blocks", "block_text_groups"])
		expect(await partitions(store, table)).toEqual(["y2024m01"]);
	expect(await damageOf(store)).toEqual([]);
});

testWithPostgres("a day is dropped without the content that a block of the whole month has of it", async () => {
	await using store = await openTestStore();
	await keepPartitions(store, NOVEMBER_28, NEVER);
	// Two days in one block.
	const shared = [spanAt(1, DECEMBER), spanAt(2, DECEMBER + DAY_MICROS)];
	await store.writer.write(shared, []);
	await keepPartitions(store, NOVEMBER_28, 1);
	await using writer = newWriter(store);
	const own = spanAt(3, DECEMBER + 9);
	await writer.write([own], []);
	const rule = { projectId: await projectId(store), beforeMicros: DECEMBER + DAY_MICROS, keepAnnotated: false };
	await store.traces.dropExpired?.([rule], async () => true);
	expect(await partitions(store, "spans")).not.toContain("y2023m12d01");
	await expectFound(store, shared.slice(1));
});

testWithPostgres("nothing is lost while two servers divide a month and make its days, and others write", async () => {
	await using store = await openTestStore();
	await keepPartitions(store, NOVEMBER_28, NEVER);
	const spans = Array.from({ length: 60 }, (_, index) =>
		spanAt(index + 1, DECEMBER + (index % 9) * DAY_MICROS + index),
	);
	await using fresh = newWriter(store);
	await Promise.all([
		keepPartitions(store, NOVEMBER_28, 1),
		keepPartitions(store, NOVEMBER_28, 1),
		...spans.map((span, index) => (index % 2 === 0 ? store.writer : fresh).write([span], [])),
	]);
	await keepPartitions(store, NOVEMBER_28 + 5 * DAY_MICROS, 1);
	await expectFound(store, spans);
	expect(await places(store)).not.toContainEqual(expect.stringMatching(/^default/));
});

/** A store with December partitioned by day, whose writer knows it. */
async function openDivided(): Promise<PostgresUnderTest> {
	const store = await openTestStore();
	await keepPartitions(store, NOVEMBER_28, NEVER);
	await keepPartitions(store, NOVEMBER_28, 1);
	return store;
}

/** What the upkeep does about partitions. */
function keepPartitions(store: PostgresUnderTest, nowMicros: number, largeMonthBytes: number): Promise<void> {
	return withClient(store, async (client) => {
		await makePartitions(client, nowMicros);
		await divideNextMonth(client, nowMicros, { largeMonthBytes });
		await makePartitions(client, nowMicros);
	});
}

function withClient<T>(store: PostgresUnderTest, work: (client: ClientBase) => Promise<T>): Promise<T> {
	return withPool(store, (pool) => withConnection(pool, work));
}

/** The partitions of 2023 and 2024, without the name of their table. */
async function partitions(store: PostgresUnderTest, table: string): Promise<string[]> {
	const { rows } = await withPool(store, (pool) =>
		pool.query<{ name: string }>(
			`select replace(relname, $1 || '_', '') as name from pg_inherits join pg_class on pg_class.oid = inhrelid
			where inhparent = $1::text::regclass and relname ~ 'y202[34]' order by 1`,
			[table],
		),
	);
	return rows.map(({ name }) => name);
}

/** For each span, in the order of their ids, the partition of its row and that of its content. */
async function places(store: PostgresUnderTest): Promise<string[]> {
	const { rows } = await withPool(store, (pool) =>
		pool.query<{ place: string }>(
			`select concat(replace(of_spans.relname, 'spans_', ''), ' ', replace(of_blocks.relname, 'blocks_', '')) as place
			from spans join blocks on blocks.id = spans.block_id
				join pg_class as of_spans on of_spans.oid = spans.tableoid
				join pg_class as of_blocks on of_blocks.oid = blocks.tableoid
			order by spans.span_id`,
		),
	);
	return rows.map(({ place }) => place);
}

function spanAt(number: number, micros: number, project = "default"): NormalizedSpan {
	return testSpan({ project, trace: number, span: number, start: micros - HOUR_0, input: wordOf(number) });
}

function wordOf(number: number): string {
	return `word${String(number).padStart(3, "0")}end`;
}

function newWriter({ settings }: PostgresUnderTest) {
	return openPostgresTraceWriter({ kind: "postgres", settings }, readStoredTexts);
}

/** Each of the spans, with one trace each, is found by its text, and everything else is as they say. */
async function expectFound(store: PostgresUnderTest, spans: readonly NormalizedSpan[]): Promise<void> {
	await expectTotals(store, spans);
	expect(await damageOf(store)).toEqual([]);
	const project = await projectId(store);
	for (const { spanId } of spans) {
		const number = Number.parseInt(spanId, 16);
		expect(await find(store, project, wordOf(number))).toEqual([number]);
	}
	expect(await find(store, project, "word")).toHaveLength(spans.length);
}

async function find({ traces }: PostgresUnderTest, project: number, text: string): Promise<number[]> {
	const query = { projectId: project, sort: "start_time", order: "asc", limit: 1_000, text } as const;
	const { items } = await traces.listSpans(query);
	return items.map(({ spanId }) => Number.parseInt(spanId, 16));
}

import { parseFilter } from "@spanward/filter-language";
import { afterAll, beforeAll, expect } from "vitest";
import { type StatementDone, statementsDone } from "../../apps/server/src/storage/clickhouse/statement-channel.ts";
import { CONTENTS, SPANS } from "../../apps/server/src/storage/traces/clickhouse/tables.ts";
import { randomFrom, randomSpans } from "../../apps/server/src/storage/traces/conformance/random-spans.ts";
import {
	allPages,
	allSpans,
	allTraces,
	expectTotals,
	identities,
	projectId,
	storedIdentities,
} from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import { spanHex, testSpan } from "../../apps/server/src/storage/traces/test-spans.ts";
import { distinct } from "../../apps/server/src/storage/traces/test-totals.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { type ClickHouseUnderTest, openStore } from "./open-store.ts";

const test = testWith("clickhouse");
const YEAR_MICROS = 365 * 86_400_000_000;

let clickhouse: ClickHouse;

beforeAll(async () => {
	clickhouse = await startClickHouse({});
});
afterAll(() => clickhouse[Symbol.asyncDispose]());

test("K06 content comes back byte for byte", async () => {
	await using store = await openStore(clickhouse);
	const contents = [
		Buffer.alloc(16 * 1024 * 1024, "large "),
		Buffer.from([0, 0xff, 0xfe, 0x80, 0, 0x0a, 0x09, 0x5c, 0x27]),
		Buffer.from("half a pair: \ud83d", "utf16le"),
		Buffer.alloc(0),
	];
	const spans = contents.map((bytes, index) => ({ ...testSpan({ span: index + 1, start: index }), bytes }));
	await store.writer.write(spans, []);
	for (const [index, bytes] of contents.entries()) {
		const [stored] = await store.traces.findSpansBySpanId(spanHex(index + 1));
		expect(Buffer.compare(stored?.content.span ?? Buffer.from("nothing"), bytes)).toBe(0);
	}
});

test("K16 spans that are stored twice are shown once, while nothing is merged", async () => {
	await using store = await openStore(clickhouse);
	const spans = distinct(randomSpans(randomFrom(3), 60, ["default"]));
	await store.writer.write(spans, []);
	await store.shard.execute("system stop merges");
	try {
		for (const { name, columns } of [SPANS, CONTENTS]) {
			const names = Object.keys(columns);
			const copied = names.map((column) => (column === "id" || column === "version" ? `${column} + 1000000` : column));
			await store.shard.execute(`insert into ${name} (${names.join(", ")}) select ${copied.join(", ")} from ${name}`);
		}
		expect(await storedIdentities(store, "default")).toEqual(identities(spans));
		await expectTotals(store, spans);
		const project = await projectId(store);
		expect(await store.traces.countSpans({ projectId: project })).toMatchObject({ count: spans.length });
		const page = await store.traces.listStoredSpans({ projectId: project, sort: "id", order: "asc", limit: 1_000 });
		expect(page.items.map(({ summary }) => summary.spanId).sort()).toEqual(spans.map(({ spanId }) => spanId).sort());
	} finally {
		await store.shard.execute("system start merges");
	}
});

test("K33 lists of a project with one trace of five years ago, and of one with many of today, are full", async () => {
	await using store = await openStore(clickhouse);
	const old = testSpan({ project: "old", trace: 1, start: -5 * YEAR_MICROS });
	const late = testSpan({ project: "old", trace: 2 });
	const many = Array.from({ length: 3_000 }, (_, index) =>
		testSpan({ trace: 10 + index, span: 10 + index, start: 1_000 * index }),
	);
	await store.writer.write([old, late, ...many], []);
	const [ofOld, ofMany] = [await projectId(store, "old"), await projectId(store)];
	const first = async (project: number) => {
		const shared = { projectId: project, order: "desc", limit: 100 } as const;
		return [
			(await store.traces.listTraces({ ...shared, sort: "start_time" })).items.map(({ traceId }) => traceId),
			(await store.traces.listSpans({ ...shared, sort: "start_time" })).items.map(({ traceId }) => traceId),
			(await store.traces.listSpans({ ...shared, sort: "id" })).items.map(({ traceId }) => traceId),
		];
	};
	for (const list of await first(ofOld)) expect(new Set(list)).toEqual(new Set([late.traceId, old.traceId]));
	for (const list of await first(ofMany)) expect(list).toHaveLength(100);
	expect(await allTraces(store, ofMany, 500)).toHaveLength(3_000);
});

const DAY_MICROS = 86_400_000_000;

test("K32 first pages read at most three days of 70", async () => {
	await using store = await openStore(clickhouse);
	const aDay = 100;
	const spans = Array.from({ length: 70 * aDay }, (_, index) =>
		testSpan({ trace: 1 + index, span: 1 + index, start: -Math.floor((index * DAY_MICROS) / aDay) }),
	);
	for (let at = 0; at < spans.length; at += 2_000) await store.writer.write(spans.slice(at, at + 2_000), []);
	const project = await projectId(store);
	const first = { projectId: project, sort: "start_time", order: "desc", limit: 50 } as const;
	const { traces } = store;
	for (const read of [() => traces.listTraces(first), () => traces.listSpans(first)]) {
		using statements = watchStatements();
		expect((await read()).items).toHaveLength(50);
		// A window of several days is only read where a narrower one has too few.
		expect(Math.max(...statements.rowsRead)).toBeLessThanOrEqual(3 * aDay);
	}
});

test("K39 one more trace in a session of many costs what it costs in one of ten", async () => {
	await using store = await openStore(clickhouse);
	const count = 2_010;
	const session = (index: number) => (index < 10 ? "small" : "large");
	const spans = Array.from({ length: count }, (_, index) =>
		testSpan({ trace: 1 + index, span: 1 + index, start: index, session: session(index) }),
	);
	await store.writer.write(spans, []);
	const costOf = async (trace: number, name: string) => {
		using statements = watchStatements();
		await store.writer.write([testSpan({ trace, span: trace, start: trace, session: name })], []);
		return { count: statements.rowsRead.length, rows: statements.rowsRead.reduce((sum, rows) => sum + rows, 0) };
	};
	const [small, large] = [await costOf(count + 1, "small"), await costOf(count + 2, "large")];
	expect(large.count).toBe(small.count);
	// The other traces of the session are not among them.
	expect(Math.abs(large.rows - small.rows)).toBeLessThan(500);
});

/** The rows that ClickHouse reads for each statement of this thread, until disposed. */
function watchStatements(): Disposable & { readonly rowsRead: readonly number[] } {
	const rowsRead: number[] = [];
	const listen = (message: unknown) => void rowsRead.push((message as StatementDone).rowsRead);
	statementsDone.subscribe(listen);
	return { rowsRead, [Symbol.dispose]: () => statementsDone.unsubscribe(listen) };
}

test("K36 a condition on annotations that very many spans fulfil is right, also negated and within or", async () => {
	await using store = await openStore(clickhouse);
	// More than are sent to ClickHouse as row numbers.
	const count = 10_100;
	const spans = Array.from({ length: count + 50 }, (_, index) =>
		testSpan({
			trace: 1 + Math.floor(index / 50),
			span: index + 1,
			start: index,
			name: index % 2 === 0 ? "even" : "odd",
		}),
	);
	await store.writer.write(spans, []);
	const project = await projectId(store);
	const stored = (await allSpans(store, project)).toSorted((a, b) => a.start.micros - b.start.micros);
	await annotateAll(store, project, stored.slice(0, count));
	const good = "annotations['quality'].label == 'good'";
	expect(await countSpans(store, project, good)).toBe(count);
	expect(await countSpans(store, project, `not ${good}`)).toBe(0);
	expect(await countSpans(store, project, "annotations['quality'] is None")).toBe(50);
	expect(await countSpans(store, project, `${good} or name == 'odd'`)).toBe(count + 25);
	expect(await countSpans(store, project, `${good} and name == 'odd'`)).toBe(count / 2);
});

async function annotateAll(
	{ db }: ClickHouseUnderTest,
	project: number,
	spans: readonly { readonly id: number; readonly traceRowId: number }[],
): Promise<void> {
	for (let at = 0; at < spans.length; at += 1_000)
		await db.write(async (transaction) => {
			const rows = spans.slice(at, at + 1_000).map(({ id, traceRowId }) => ({
				...{ target: "span", target_row_id: id, project_id: project, span_row_id: id, trace_row_id: traceRowId },
				...{ name: "quality", identifier: "", annotator_kind: "HUMAN", label: "good", score: 1, metadata: "{}" },
				...{ source: "API", created_at: 0, updated_at: 0, document_position: -1 },
			}));
			await transaction
				.insertInto("annotations")
				.values(rows as never)
				.execute();
		});
}

async function countSpans({ traces }: ClickHouseUnderTest, project: number, filter: string): Promise<number> {
	const { condition } = parseFilter("span", filter);
	if (condition === undefined) throw new Error(`${filter} is no condition`);
	const query = { projectId: project, condition, sort: "id", order: "desc", limit: 1_000 } as const;
	return (await allPages((from) => traces.listSpans({ ...query, ...(from === undefined ? {} : { from }) }))).length;
}

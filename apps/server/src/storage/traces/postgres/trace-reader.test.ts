import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect } from "vitest";
import { connectionConfig } from "#storage/postgres/connection.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { allPages, projectId } from "../conformance/store-under-test.ts";
import { spanHex, testSpan, traceHex } from "../test-spans.ts";
import type { Keyset } from "../trace-store.ts";
import { listSpanRows } from "./read/list-spans.ts";
import { listTraces } from "./read/list-traces.ts";
import { inOneView } from "./read/query.ts";
import { listSessions } from "./read/sessions.ts";
import { ShownTextsReader } from "./read/shown-texts.ts";
import { openTestStore } from "./test-store.ts";

const MONTH = 31 * 86_400e6;

testWithPostgres("ends a page of content where it reaches so many bytes, and goes on in the next month", async () => {
	await using store = await openTestStore();
	const spans = Array.from({ length: 40 }, (_, index) =>
		testSpan({
			trace: index + 1,
			span: index + 1,
			start: Math.floor(index / 10) * MONTH + index,
			attributes: { note: `${index} `.repeat(1_000) },
		}),
	);
	await store.writer.write(spans, []);
	const project = await projectId(store);
	const sizes: number[] = [];
	const read = await allPages(async (from: Keyset | undefined) => {
		const page = await store.traces.listStoredSpans({
			projectId: project,
			sort: "start_time",
			order: "asc",
			limit: 30,
			maxContentBytes: 10_000,
			...(from ? { from } : {}),
		});
		sizes.push(page.items.length);
		return page;
	});
	expect(read.map(({ content }) => Buffer.from(content.span))).toEqual(spans.map(({ bytes }) => Buffer.from(bytes)));
	// Each span has 2,000 to 4,000 bytes.
	expect(Math.max(...sizes)).toBeLessThanOrEqual(5);
	expect(sizes.slice(0, -1).every((size) => size >= 3)).toBe(true);
});

testWithPostgres(
	"finds nothing by what PostgreSQL can neither store nor compare, and fails at none of it",
	async () => {
		await using store = await openTestStore();
		await store.writer.write([testSpan({ name: "a\0b" })], []);
		const project = await projectId(store);
		const list = { projectId: project, order: "asc", limit: 5 } as const;
		const names = async (names: string[]) =>
			(await store.traces.listSpans({ ...list, sort: "id", names })).items.map((span) => span.name);
		expect(await names(["a\0b", "\ud800"])).toEqual(["a\uFFFDb"]);
		expect(await names([])).toEqual([]);
		for (const value of [1e300, -1e300, 0.00001]) {
			const { items } = await store.traces.listTraces({ ...list, sort: "latency_ms", after: { value, id: 1 } });
			expect(items).toHaveLength(value > 1 ? 0 : 1);
		}
		const latency = { minLatencyMs: 0.000_1, maxLatencyMs: 1e300 };
		expect((await store.traces.listTraces({ ...list, sort: "start_time", ...latency })).items).toHaveLength(1);
		expect((await store.traces.listSpans({ ...list, sort: "id", ...latency })).items).toHaveLength(1);
		for (const hex of ["", "zz", `${spanHex(1)}zz`, `${traceHex(1)}0`]) {
			expect(await store.traces.findTracesByTraceIds([hex])).toEqual([]);
			expect(await store.traces.findSpansBySpanId(hex)).toEqual([]);
			expect(await store.traces.findEntitiesById("span", [hex])).toEqual([]);
			expect(await store.traces.findExistingSpans(project, [{ traceId: traceHex(1), spanId: hex }])).toEqual([]);
			expect((await store.traces.listSpans({ ...list, sort: "id", traceIds: [hex] })).items).toEqual([]);
		}
	},
);

testWithPostgres("reads the content of huge spans a few at a time", async () => {
	await using store = await openTestStore();
	const spans = Array.from({ length: 4 }, (_, index) =>
		testSpan({ trace: index + 1, span: index + 1, attributes: { image: randomBytes(2_000_000).toString("base64") } }),
	);
	await store.writer.write(spans, []);
	const { items } = await store.traces.listStoredSpans({
		projectId: await projectId(store),
		sort: "id",
		order: "asc",
		limit: 10,
	});
	expect(items.map(({ summary }) => summary.spanId)).toEqual(spans.map(({ spanId }) => spanId));
	for (const [index, { content }] of items.entries())
		expect(Buffer.compare(content.span, spans[index]?.bytes ?? new Uint8Array())).toBe(0);
});

testWithPostgres("a page reads no more rows than it shows, in tables that nobody has counted", async () => {
	await using store = await openTestStore();
	const spans = Array.from({ length: 600 }, (_, index) =>
		testSpan({ trace: index + 1, span: index + 1, start: index * 10, session: `s${index}` }),
	);
	await store.writer.write(spans, []);
	const { settings } = store;
	await using connected = new AsyncDisposableStack();
	const pool = new pg.Pool({ ...connectionConfig(settings, settings.primary, { name: "test" }), max: 1 });
	connected.defer(() => pool.end());
	const project = await projectId(store);
	const list = { projectId: project, order: "desc", limit: 10 } as const;
	const rowsReadBy = (read: (client: pg.PoolClient) => Promise<unknown>) =>
		inOneView(pool, async (client) => {
			let rows = 0;
			const explaining: pg.PoolClient = Object.assign(Object.create(client), {
				query: async (sql: string, values: readonly unknown[]) => {
					const explained = await client.query(`explain (analyze, format json) ${sql}`, [...values]);
					rows += rowsOf(explained.rows[0]?.["QUERY PLAN"][0].Plan);
					return client.query(sql, [...values]);
				},
			});
			await read(explaining);
			return rows;
		});
	const texts = new ShownTextsReader();
	// One row more shows that there is a next page. Traces read their session, sessions their first and last trace.
	expect(await rowsReadBy((client) => listSpanRows(client, { ...list, sort: "start_time" }))).toBe(11);
	expect(await rowsReadBy((client) => listSpanRows(client, { ...list, sort: "id" }))).toBe(11);
	expect(await rowsReadBy((client) => listTraces(client, { ...list, sort: "start_time" }, texts))).toBe(22);
	expect(await rowsReadBy((client) => listTraces(client, { ...list, sort: "latency_ms" }, texts))).toBe(22);
	expect(await rowsReadBy((client) => listSessions(client, { ...list, sort: "id" }, texts))).toBe(33);
	expect(await rowsReadBy((client) => listSpanRows(client, { ...list, sort: "id", spanIds: [spanHex(5)] }))).toBe(1);
});

interface Plan {
	readonly "Relation Name"?: string;
	readonly "Actual Rows": number;
	readonly "Actual Loops": number;
	readonly "Rows Removed by Filter"?: number;
	readonly Plans?: readonly Plan[];
}

/** Rows of tables that a plan has read. */
function rowsOf(plan: Plan): number {
	const own =
		plan["Relation Name"] === undefined
			? 0
			: (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"];
	return (plan.Plans ?? []).reduce((rows, part) => rows + rowsOf(part), own);
}

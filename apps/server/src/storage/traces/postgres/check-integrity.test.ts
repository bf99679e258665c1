import { sql } from "kysely";
import { expect } from "vitest";
import { openPostgres } from "#storage/postgres/open-postgres.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { insertAnnotation } from "../conformance/annotations.ts";
import { batches, randomFrom, randomSpans } from "../conformance/random-spans.ts";
import { allSpans, allTraces, projectId } from "../conformance/store-under-test.ts";
import type { TraceWriter } from "../span-batch.ts";
import { readStoredTexts } from "../span-meaning.ts";
import { HOUR_0, testSpan } from "../test-spans.ts";
import { damageOf, openTestStore, type PostgresUnderTest } from "./test-store.ts";
import { openPostgresTraceWriter } from "./trace-writer.ts";

const ROUNDS = 12;

testWithPostgres("totals stay right while processes write, delete, move and price at once", async () => {
	await using store = await openTestStore();
	await using other = await openPostgres({ SERVICE_PROJECT_NAME: "default" }, store.settings);
	await using otherWriter = openPostgresTraceWriter({ kind: "postgres", settings: store.settings }, readStoredTexts);
	const random = randomFrom(1);
	const some = (count: number) => Math.floor(random() * count);
	const [spans, more] = [
		randomSpans(random, 600, ["default", "other"]),
		randomSpans(random, 400, ["default", "other"]),
	];
	await store.writer.write(spans.slice(0, 200), []);
	const projects = [await projectId(store), await projectId(store, "other")] as const;
	for (const row of (await allSpans(store, projects[0])).slice(0, 20)) {
		const at = { trace: Number.parseInt(row.traceId, 16), span: Number.parseInt(row.spanId, 16) };
		await insertAnnotation(store, { ...at, on: some(2) === 0 ? "span" : "trace", name: `${row.id}`, updated: some(9) });
	}
	const write = async (writer: TraceWriter, all: typeof spans) => {
		for (const batch of batches(all, 30, random)) await writer.write(batch, []);
	};
	const change = async ({ traces }: Pick<PostgresUnderTest, "traces">) => {
		for (let round = 0; round < ROUNDS; round += 1) {
			const from = projects[some(2)] ?? 0;
			const listed = await allTraces(store, from);
			const ids = Array.from({ length: 3 }, () => listed[some(listed.length)]?.id ?? 0);
			const rows = await allSpans(store, from);
			if (round % 4 === 0) await traces.transferTraces(ids, projects[some(2)] ?? 0);
			if (round % 4 === 1) await traces.deleteTrace(ids[0] ?? 0);
			if (round % 4 === 2) await traces.deleteSpan(rows[some(rows.length)]?.id ?? 0);
			if (round === 7) await traces.deleteTracesBetween(from, HOUR_0, HOUR_0 + 500);
			if (round % 4 === 3) await traces.recomputeCosts({ projectId: from, afterSpan: 0, lastSpan: 1e9, ownPrices: [] });
		}
	};
	await Promise.all([
		write(store.writer, [...spans, ...spans.slice(0, 100)]),
		write(otherWriter, more),
		change(store),
		change(other),
	]);
	expect(await damageOf(store)).toEqual([]);
});

testWithPostgres("tells costs beyond 53 bits of picodollars apart by one, however they were summed", async () => {
	await using store = await openTestStore();
	const cost = { total: 200.1, source: "sent" } as const;
	await store.writer.write([testSpan({ session: "s", cost }), testSpan({ trace: 2, session: "s", cost })], []);
	for (const table of ["traces", "sessions", "hours"])
		await sql`update ${sql.table(table)} set cost_pico = cost_pico + cost_micro * 1000000, cost_micro = 0`.execute(
			store.db.read,
		);
	const dear = Array.from({ length: 60 }, (_, index) =>
		testSpan({ trace: 1 + (index % 4), span: 2 + index, session: "s", cost }),
	);
	await store.writer.write(dear, []);
	const dearest = { total: 999_999_999.999_999, source: "sent" } as const;
	await store.writer.write([testSpan({ trace: 9, session: "t", cost: dearest })], []);
	expect(await damageOf(store)).toEqual([]);
	for (const table of ["traces", "sessions", "hours"])
		await sql`update ${sql.table(table)} set cost_pico = cost_pico + 1`.execute(store.db.read);
	const wrong = (await damageOf(store)).join("\n");
	for (const sentence of [/^trace row \d+ has a cost of/m, /^a session is/m, /^the hour .* has/m])
		expect(wrong).toMatch(sentence);
});

testWithPostgres("names what is not as the spans say", async () => {
	await using store = await openTestStore();
	await store.writer.write([testSpan({ session: "s", input: "asked" }), testSpan({ span: 2, parent: 1 })], []);
	await insertAnnotation(store, { on: "span", name: "astray" });
	expect(await damageOf(store)).toEqual([]);
	await store.db.write(async (transaction) => {
		await transaction.updateTable("annotations").set({ project_id: 99 }).execute();
		for (const [table, column] of [
			["traces", "span_count"],
			["sessions", "trace_count"],
			["hours", "error_count"],
		] as const)
			await sql`update ${sql.ref(table)} set ${sql.ref(column)} = 7`.execute(transaction);
	});
	const wrong = await damageOf(store);
	expect(wrong).toContain("1 annotations of spans are not where their span is");
	for (const start of ["trace row 1 has span_count 7, not the 2", "a session is", "the hour"])
		expect(wrong).toContainEqual(expect.stringContaining(start));
});

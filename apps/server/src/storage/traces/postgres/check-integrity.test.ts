import { sql } from "kysely";
import { expect } from "vitest";
import { present } from "#base/present.ts";
import { openPostgres } from "#storage/postgres/open-postgres.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { insertAnnotation } from "../conformance/annotations.ts";
import { batches, randomFrom, randomSpans } from "../conformance/random-spans.ts";
import { allSpans, allTraces, projectId } from "../conformance/store-under-test.ts";
import { compress, decompress } from "../content/block.ts";
import type { TraceWriter } from "../span-batch.ts";
import { readStoredTexts } from "../span-meaning.ts";
import { HOUR_0, spanHex, testSpan, traceHex } from "../test-spans.ts";
import { HOUR_MICROS } from "../totals/hour-changes.ts";
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
	const tokens = { prompt: 3 };
	await store.writer.write([testSpan({ session: "s", input: "asked", tokens }), testSpan({ span: 2, parent: 1 })], []);
	await insertAnnotation(store, { on: "span", name: "astray" });
	expect(await damageOf(store)).toEqual([]);
	await store.db.write(async (transaction) => {
		await transaction.updateTable("annotations").set({ project_id: 99 }).execute();
		for (const [table, column] of [
			["traces", "span_count"],
			["sessions", "trace_count"],
			["hours", "error_count"],
			["spend", "tokens"],
		] as const)
			await sql`update ${sql.ref(table)} set ${sql.ref(column)} = 7`.execute(transaction);
	});
	const wrong = await damageOf(store);
	expect(wrong).toContain("1 annotations of spans are not where their span is");
	for (const start of ["trace row 1 has span_count 7, not the 2", "a session is", "the hour", "what was spent in"])
		expect(wrong).toContainEqual(expect.stringContaining(start));
});

testWithPostgres("names contents that are damaged or not where their rows say, and changes nothing", async () => {
	await using store = await openTestStore();
	const traces = [1, 2, 3, 4, 5];
	// One block each.
	for (const trace of traces) await store.writer.write([testSpan({ trace, span: trace * 16, input: "asked" })], []);
	const { rows: blocks } = await sql<{ id: number; data: Buffer }>`select id, data from blocks order by id`.execute(
		store.db.read,
	);
	const [cut, mixedUp, malformed, misplaced, moved] = blocks.map(({ id }) => id);
	/** Changes a byte of the uncompressed content, where these bytes are. */
	const changed = (index: number, hex: string, offset: number, byte: number) => {
		const content = decompress(present(blocks[index], "a block").data);
		content[content.indexOf(Buffer.from(hex, "hex")) + offset] = byte;
		return Buffer.from(compress(content));
	};
	await store.db.write(async (transaction) => {
		await sql`update blocks set data = substr(data, 1, 20) where id = ${cut}`.execute(transaction);
		await sql`update blocks set data = ${changed(1, spanHex(32), 7, 9)} where id = ${mixedUp}`.execute(transaction);
		// A tag of protobuf with a wire type that does not exist.
		await sql`update blocks set data = ${changed(2, traceHex(3), -2, 15)} where id = ${malformed}`.execute(transaction);
		await sql`update spans set ordinal = 5 where block_id = ${misplaced}`.execute(transaction);
		await sql`update blocks set month = 0 where id = ${moved}`.execute(transaction);
	});
	const wrong = await damageOf(store);
	expect(wrong.filter((sentence) => /^(block|span|the texts)/.test(sentence))).toEqual([
		`block ${cut} cannot be read`,
		`span ${spanHex(32)} is not at place 0 of block ${mixedUp}`,
		`span ${spanHex(48)} is not at place 0 of block ${malformed}`,
		`span ${spanHex(64)} is not at place 5 of block ${misplaced}`,
		`span ${spanHex(80)} is of another month or day than its block ${moved}`,
		"the texts of trace row 3 cannot be read: a span is damaged",
	]);
	expect(await damageOf(store)).toEqual(wrong);
});

testWithPostgres("names the hour and the session among many whose totals are wrong", async () => {
	await using store = await openTestStore();
	const spans = Array.from({ length: 1_100 }, (_, index) =>
		testSpan({ trace: index + 1, span: 1, start: Math.floor(index / 100) * HOUR_MICROS, session: `s${index}` }),
	);
	// A trace that lasts longer than all others together.
	const last = testSpan({ trace: 1, span: 2, parent: 1, start: 20 * HOUR_MICROS });
	await store.writer.write([...spans, last], []);
	expect(await damageOf(store)).toEqual([]);
	await store.db.write(async (transaction) => {
		await sql`update hours set error_count = 7 where hour = ${HOUR_0 / HOUR_MICROS + 5}`.execute(transaction);
		await sql`update sessions set trace_count = 7 where session_id = 's1050'`.execute(transaction);
	});
	expect(await damageOf(store)).toEqual([
		expect.stringMatching(/^the hour .* has 100 100 0 7 .*, not the 100 100 0 0 /),
		expect.stringMatching(/^a session is .*"s1050"/),
	]);
});

testWithPostgres("says where PostgreSQL itself cannot read what it stored", async () => {
	await using store = await openTestStore();
	await store.writer.write([testSpan({})], []);
	await store.db.write(async (transaction) => {
		await sql`alter table blocks rename to stored_blocks`.execute(transaction);
		await sql`create function unreadable() returns bytea language plpgsql as
			$$ begin raise exception 'missing chunk number 0' using errcode = 'data_corrupted'; end $$`.execute(transaction);
		await sql`create view blocks as
			select id, month, first_span, last_span, unreadable() as data from stored_blocks`.execute(transaction);
	});
	expect(await damageOf(store)).toEqual([
		"PostgreSQL cannot read its own files, and the check ended there: missing chunk number 0 (XX001)",
	]);
});

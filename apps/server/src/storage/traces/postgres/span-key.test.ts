import pg from "pg";
import { expect } from "vitest";
import { connectionConfig, openPool } from "#storage/postgres/connection.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { allSpans, expectTotals, projectId } from "../conformance/store-under-test.ts";
import { testSpan } from "../test-spans.ts";
import { ensureMonths } from "./partitions.ts";
import { changeSmallSpanKey, changeSpanKey } from "./span-key.ts";
import { damageOf, openTestStore, type PostgresUnderTest } from "./test-store.ts";

const FORMER = "span_id, trace_id, start_micros, start_nanos, trace_row_id";
const NOW = "span_id, start_nanos, trace_row_id, start_micros";

testWithPostgres("the former key of a large table is replaced while spans are written", async () => {
	await using store = await openTestStore();
	await using former = await withKey(store, FORMER);
	const spans = Array.from({ length: 60 }, (_, index) => testSpan({ trace: 1 + (index % 7), span: index + 1 }));
	const start = spans[0]?.start.micros ?? 0;
	await store.writer.write(spans.slice(0, 10), []);
	await ensureMonths(former.client, start, start);
	await store.writer.write(spans.slice(10, 30), []);
	// An index whose making was cut off.
	await former.client.query("create unique index spans_default_next_key on spans_default (span_id, start_micros)");
	await former.client.query(
		"update pg_index set indisvalid = false where indexrelid = 'spans_default_next_key'::regclass",
	);

	await Promise.all([
		changeSpanKey(former.pool, new AbortController().signal),
		...spans.slice(30).map((span) => store.writer.write([span], [])),
	]);

	expect(await former.keys()).toEqual([NOW]);
	const left = await former.client.query(
		"select from pg_class where relname like '%_next_key' and relnamespace = current_schema()::regnamespace",
	);
	expect(left.rowCount).toBe(0);
	const again = await store.writer.write(spans, []);
	expect(again).toMatchObject({ written: 0, duplicates: 60 });
	await ensureMonths(former.client, start + 40 * 86_400_000_000, start + 40 * 86_400_000_000);
	expect(await former.keys()).toEqual([NOW]);
	expect(await allSpans(store, await projectId(store))).toHaveLength(60);
	await expectTotals(store, spans);
	expect(await damageOf(store)).toEqual([]);
});

testWithPostgres("a start replaces the former key of a small table, and leaves one that was chosen alone", async () => {
	await using store = await openTestStore();
	await using former = await withKey(store, FORMER);
	await changeSmallSpanKey(former.client);
	expect(await former.keys()).toEqual([NOW]);

	const chosen = "trace_id, span_id, start_micros, start_nanos, trace_row_id";
	await using another = await withKey(store, chosen);
	await changeSmallSpanKey(another.client);
	await changeSpanKey(another.pool, new AbortController().signal);
	expect(await another.keys()).toEqual([chosen]);
});

/** Gives `spans` another key. `keys` are the distinct ones of the table and its partitions. */
async function withKey({ settings }: PostgresUnderTest, key: string) {
	const client = new pg.Client(connectionConfig(settings, settings.primary, { name: "test" }));
	const pool = openPool(settings, settings.primary, { name: "test", size: 2 }, (error) => {
		throw error;
	});
	await client.connect();
	await client.query("alter table spans drop constraint spans_pkey");
	await client.query(`alter table spans add constraint spans_pkey primary key (${key})`);
	return {
		client,
		pool,
		keys: async () => {
			const { rows } = await client.query<{ key: string }>(
				`select distinct substring(pg_get_indexdef(indexrelid) from $$\\((.*)\\)$$) as key from pg_index
				where indisprimary and indrelid in (
					select 'spans'::regclass union all select inhrelid from pg_inherits where inhparent = 'spans'::regclass)`,
			);
			return rows.map((row) => row.key);
		},
		async [Symbol.asyncDispose]() {
			await client.end();
			await pool.end();
		},
	};
}

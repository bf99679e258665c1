import pg from "pg";
import { expect } from "vitest";
import { connectionConfig } from "#storage/postgres/connection.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { allSpans, expectTotals, projectId } from "../conformance/store-under-test.ts";
import { testSpan } from "../test-spans.ts";
import { ensureMonths, makePartitions, partitionName } from "./partitions.ts";
import { monthOf } from "./periods.ts";
import { openTestStore } from "./test-store.ts";

testWithPostgres("a month that is made takes what lay in the default partition, while spans are written", async () => {
	await using store = await openTestStore();
	const { settings } = store;
	const clients = [1, 2].map(() => new pg.Client(connectionConfig(settings, settings.primary, { name: "test" })));
	await using stack = new AsyncDisposableStack();
	for (const client of clients) {
		await client.connect();
		stack.defer(() => client.end());
	}
	const [one, other] = clients as [pg.Client, pg.Client];
	const spans = Array.from({ length: 60 }, (_, index) => testSpan({ trace: 1 + (index % 7), span: index + 1 }));
	const start = spans[0]?.start.micros ?? 0;
	await store.writer.write(spans.slice(0, 30), []);
	const places = async () =>
		(await one.query("select distinct tableoid::regclass::text as name from spans order by 1")).rows.map(
			(row) => row.name,
		);
	expect(await places()).toEqual(["spans_default"]);
	await Promise.all([
		ensureMonths(one, start, start),
		ensureMonths(other, start, start),
		...spans.slice(30).map((span) => store.writer.write([span], [])),
	]);
	expect(await places()).toEqual(["spans_y2023m11"]);
	expect((await one.query("select count(*)::int as count from blocks_default")).rows).toEqual([{ count: 0 }]);
	await expectTotals(store, spans);
	expect(await allSpans(store, await projectId(store))).toHaveLength(60);
	await makePartitions(one, Date.UTC(2030, 4, 31) * 1_000);
	const made = await one.query(
		"select relname from pg_class where relkind = 'r' and relname like 'spans_y2030%' and relispartition order by 1",
	);
	expect(made.rows.map((row) => row.relname)).toEqual(
		["m04", "m05", "m06", "m07"].map((month) => `spans_y2030${month}`),
	);
});

testWithPostgres("a month of spans differs from the default partition only in the order of its columns", async () => {
	await using store = await openTestStore();
	const client = new pg.Client(connectionConfig(store.settings, store.settings.primary, { name: "test" }));
	await client.connect();
	try {
		const month = partitionName("spans", monthOf(Date.now() * 1_000));
		const shape = async (table: string) => {
			const { rows: columns } = await client.query(
				`select attname, atttypid, attnotnull, attcollation::regcollation::text as collation, attlen from pg_attribute
				where attrelid = $1::regclass and attnum > 0 order by attnum`,
				[table],
			);
			const { rows: indexes } = await client.query(
				`select pg_get_indexdef(indexrelid, n, true) as column, indisprimary, indnatts from pg_index,
					generate_series(1, indnatts) as n where indrelid = $1::regclass order by indnatts, 1, 2`,
				[table],
			);
			return { columns, indexes };
		};
		const [packed, other] = [await shape(month), await shape("spans_default")];
		const byName = (columns: typeof packed.columns) => columns.toSorted((a, b) => (a.attname < b.attname ? -1 : 1));
		expect(byName(packed.columns)).toEqual(byName(other.columns));
		expect(packed.indexes).toEqual(other.indexes);
		const lengths = packed.columns.map(({ attlen }) => attlen);
		expect(lengths.join(" ")).toMatch(/^(8 )+(4 4 )+(8 )+-1( -1)*$/);
	} finally {
		await client.end();
	}
});

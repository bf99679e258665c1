import pg from "pg";
import { describe, expect } from "vitest";
import { connectionConfig } from "#storage/postgres/connection.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { batches, randomFrom, randomSpans, shuffled } from "../conformance/random-spans.ts";
import { allTraces, expectTotals, projectId } from "../conformance/store-under-test.ts";
import { StorageUnavailable } from "../span-batch.ts";
import { readStoredTexts } from "../span-meaning.ts";
import { testLog, testSpan, traceHex } from "../test-spans.ts";
import { distinct } from "../test-totals.ts";
import { CHUNKS } from "./row-numbers.ts";
import { openTestStore, type PostgresUnderTest } from "./test-store.ts";
import { openPostgresTraceWriter, type PostgresTraceWriter } from "./trace-writer.ts";

const CHAT = { "gen_ai.operation.name": "chat", "gen_ai.system": "openai" };

/** Several writers, as of other processes, each with its own connection. */
function openWriters({ settings }: PostgresUnderTest, count: number, stack: AsyncDisposableStack) {
	return Array.from({ length: count }, () =>
		stack.use(openPostgresTraceWriter({ kind: "postgres", settings }, readStoredTexts)),
	);
}

describe("several writers at once", () => {
	testWithPostgres.each([1, 2])(
		"show what one writer would, on the same traces, sessions and hours (seed %i)",
		async (seed) => {
			await using store = await openTestStore();
			await using stack = new AsyncDisposableStack();
			const writers = openWriters(store, 4, stack);
			const random = randomFrom(seed);
			const projects = ["default", "made by the first span"];
			const spans = distinct(randomSpans(random, 240, projects));
			const written = await Promise.all(
				writers.map(async (writer, index) => {
					// Each span is sent to two writers.
					const own = spans.filter((_, at) => at % 4 === index || (at + 1) % 4 === index);
					let count = 0;
					for (const batch of batches(shuffled(own, random), 20, random))
						count += (await writer.write(batch, [])).written;
					return count;
				}),
			);
			expect(written.reduce((sum, count) => sum + count, 0)).toBe(spans.length);
			await expectTotals(store, spans, projects);
		},
	);

	testWithPostgres("wait for each other at a new trace, so that none runs again", async () => {
		await using store = await openTestStore();
		await using stack = new AsyncDisposableStack();
		const writers = openWriters(store, 4, stack);
		for (let round = 0; round < 5; round += 1)
			await Promise.all(
				writers.map((writer, index) =>
					writer.write(
						Array.from({ length: 20 }, (_, at) => testSpan({ trace: 20 * round + at + 1, span: index + 1 })),
						[],
					),
				),
			);
		const client = new pg.Client(connectionConfig(store.settings, store.settings.primary, { name: "test" }));
		await client.connect();
		stack.defer(() => client.end());
		// A transaction that runs again takes new row numbers.
		const { rows } = await client.query(
			`select sum(traces)::int as traces, sum(last - first + 1)::int as numbers
			from (select count(*) as traces, min(id) as first, max(id) as last from traces group by (id - 1) / ${CHUNKS.traces}) as chunks`,
		);
		expect(rows).toEqual([{ traces: 100, numbers: 100 }]);
	});

	testWithPostgres("a log record and its span that come at the same time find each other", async () => {
		await using store = await openTestStore();
		await using stack = new AsyncDisposableStack();
		const [forSpans, forLogs] = openWriters(store, 2, stack) as [PostgresTraceWriter, PostgresTraceWriter];
		const traces = Array.from({ length: 40 }, (_, index) => index + 1);
		await Promise.all(
			traces.flatMap((trace) => [
				forSpans.write([testSpan({ trace, kind: "LLM", attributes: CHAT })], []),
				forLogs.write([], [testLog({ trace, content: `question ${trace}` })]),
			]),
		);
		const shown = (await allTraces(store, await projectId(store))).map(({ traceId, firstInput }) => [
			traceId,
			firstInput,
		]);
		expect(shown.toSorted()).toEqual(traces.map((trace) => [traceHex(trace), `question ${trace}`]).toSorted());
	});
});

testWithPostgres("a write whose connection ends says so at once, and the next one goes on", async () => {
	await using store = await openTestStore();
	const { settings } = store;
	await using stack = new AsyncDisposableStack();
	const client = new pg.Client(connectionConfig(settings, settings.primary, { name: "test" }));
	await client.connect();
	stack.defer(() => client.end());
	const batch = [1, 2].map((span) => testSpan({ trace: 1, span }));
	await store.writer.write(batch.slice(0, 1), []);
	// The write waits for the row that this transaction has locked.
	await client.query("begin");
	await client.query("select 1 from traces for update");
	const writing = store.writer.write(batch, []).catch((error: unknown) => error);
	const { rows } = await untilSome(() =>
		client.query(
			`select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
			where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))`,
		),
	);
	expect(rows).toHaveLength(1);
	expect(await writing).toBeInstanceOf(StorageUnavailable);
	await client.query("rollback");
	expect(await store.writer.write(batch, [])).toMatchObject({ written: 1, duplicates: 1 });
	await expectTotals(store, batch);
});

async function untilSome(ask: () => Promise<pg.QueryResult>): Promise<pg.QueryResult> {
	for (;;) {
		const result = await ask();
		if (result.rows.length > 0) return result;
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

import { type Kysely, sql, type Transaction } from "kysely";
import { expect } from "vitest";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import type { Tables } from "#storage/schema.ts";
import { openTestStore } from "#storage/traces/postgres/test-store.ts";
import { spanHex, testSpan, traceHex } from "#storage/traces/test-spans.ts";
import { upsertAnnotations } from "../annotations/write-annotations.ts";
import { toContent } from "../datasets/content.ts";
import { insertExamples } from "../datasets/version-writer.ts";

const ITEM = {
	documentPosition: -1,
	name: "liked",
	identifier: "",
	annotatorKind: "HUMAN",
	label: null,
	score: 1,
	explanation: null,
	metadata: "{}",
} as const;

/** On PostgreSQL, no foreign key refers to spans. */
testWithPostgres(
	"annotations and links of a span do not outlive it, whether written before or after its deletion",
	async () => {
		await using store = await openTestStore();
		const { db, traces, writer } = store;
		const datasetId = await db.write((transaction) => insertDataset(transaction));

		const annotate = async (transaction: Transaction<Tables>, rowId: number) => {
			const entities = await traces.findEntities("span", [rowId], transaction);
			return () =>
				upsertAnnotations(
					transaction,
					entities.map((entity) => {
						return { target: "span", item: ITEM, entity, authorship: { source: "API", userId: null, at: 1 } };
					}),
					{ onlyOwn: false },
				);
		};
		const makeExample = async (transaction: Transaction<Tables>, rowId: number) => {
			await transaction.selectFrom("datasets").select("id").execute();
			const span = { rowId, traceId: traceHex(1), spanId: spanHex(1), projectId: 1 };
			return () =>
				insertExamples(traces, transaction, { datasetId, versionId: 1, now: 1 }, [
					{ span, content: toContent({}, {}, {}, "") },
				]);
		};

		let trace = 0;
		for (const say of [annotate, makeExample]) {
			for (const isFirst of [true, false]) {
				trace += 1;
				const spans = [1, 2].map((span) =>
					testSpan({ trace, span: trace * 2 + span, ...(span === 1 ? {} : { start: 5 }) }),
				);
				await writer.write(spans, []);
				const [found] = await traces.findSpansBySpanId(spanHex(trace * 2 + 2), { traceId: traceHex(trace) });
				const rowId = found?.summary.id ?? 0;
				let deleting: Promise<boolean> | undefined;
				await db.write(async (transaction) => {
					const write = await say(transaction, rowId);
					if (!isFirst) {
						deleting ??= traces.deleteSpan(rowId);
						await deleting;
					}
					await write();
					if (isFirst) {
						deleting ??= traces.deleteSpan(rowId);
						await expect.poll(() => isWaitedFor(db.read, transaction)).toBe(true);
					}
				});
				expect(await deleting).toBe(true);
				expect(await traces.findSpan(rowId)).toBeUndefined();
				expect(await dangling(db.read), `${say.name} ${isFirst ? "first" : "last"}`).toEqual([0, 0]);
			}
		}
		expect(await db.read.selectFrom("dataset_examples").select("span_row_id").execute()).toEqual([
			{ span_row_id: null },
			{ span_row_id: null },
		]);
	},
);

async function insertDataset(transaction: Transaction<Tables>): Promise<number> {
	const row = { name: "made of spans", description: null, metadata: "{}", created_at: 0, updated_at: 0 };
	return (await transaction.insertInto("datasets").values(row).returning("id").executeTakeFirstOrThrow()).id;
}

async function isWaitedFor(db: Kysely<Tables>, transaction: Transaction<Tables>): Promise<boolean> {
	const own = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
	const { rows } = await sql<{ waits: boolean }>`select exists (
		select from pg_stat_activity where ${own.rows[0]?.pid} = any(pg_blocking_pids(pid))
	) as waits`.execute(db);
	return rows[0]?.waits === true;
}

async function dangling(db: Kysely<Tables>): Promise<number[]> {
	const { rows } = await sql<{ number: number }>`
		select (select count(*) from annotations where span_row_id not in (select id from spans)) as number
		union all select (select count(*) from dataset_examples where span_row_id not in (select id from spans))`.execute(
		db,
	);
	return rows.map(({ number }) => number);
}

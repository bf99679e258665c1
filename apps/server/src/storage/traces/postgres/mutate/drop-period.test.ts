import { sql } from "kysely";
import pg from "pg";
import { expect } from "vitest";
import { connectionConfig } from "#storage/postgres/connection.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { postgresReferences } from "#storage/references/postgres-references.ts";
import { insertAnnotation } from "#storage/traces/conformance/annotations.ts";
import { readSpend } from "#storage/traces/conformance/read-spend.ts";
import { allSpans, allTraces, projectId } from "#storage/traces/conformance/store-under-test.ts";
import { HOUR_0, testSpan } from "#storage/traces/test-spans.ts";
import { SPEND_BACKFILL } from "#storage/traces/totals/spend-state.ts";
import type { RetentionRule } from "#storage/traces/trace-store.ts";
import { ensureMonths } from "../partitions.ts";
import { damageOf, openTestStore, type PostgresUnderTest } from "../test-store.ts";
import { dropPeriod } from "./drop-period.ts";

/** 30 days after `HOUR_0`, which is in November 2023. */
const IN_DECEMBER = 30 * 86_400_000_000;
const NEVER_ENDS = 86_400_000_000 * 365;

testWithPostgres("drops a month when nothing of it is kept, with all that refers to it", async () => {
	await using store = await openTestStore();
	await makeMonths(store);
	const november = [
		testSpan({ trace: 1, session: "both", tokens: { prompt: 1 } }),
		testSpan({ trace: 1, span: 2, parent: 1, start: 5 }),
		testSpan({ trace: 2, span: 3, session: "november", project: "other" }),
	];
	const december = testSpan({ trace: 3, span: 4, session: "both", start: IN_DECEMBER });
	await store.writer.write([...november, december], []);
	const projects = [await projectId(store), await projectId(store, "other")] as const;
	const [span] = await allSpans(store, projects[0]);
	await insertAnnotation(store, { on: "trace", name: "liked" });
	await insertExample(store, span?.id ?? 0);

	const rule = (projectId: number): RetentionRule => {
		return { projectId, beforeMicros: HOUR_0 + IN_DECEMBER - 1, keepAnnotated: false };
	};
	expect(await drop(store, [rule(projects[0])])).toEqual([]);
	expect(await drop(store, [{ ...rule(projects[0]), keepAnnotated: true }, rule(projects[1])])).toEqual([]);
	expect(
		await drop(store, [rule(projects[0]), { projectId: projects[1], keepNewest: 5, keepAnnotated: false }]),
	).toEqual([]);
	expect(await months(store)).toContain("spans_y2023m11");
	expect(await allTraces(store, projects[0])).toHaveLength(2);
	const spent = await readSpend(store, projects[0]);
	expect(Object.values(spent)).toEqual(["1 tokens, 0 picodollars"]);

	// Nobody has counted yet what spans have spent that would go.
	await store.db.write(async (transaction) => {
		await transaction.insertInto("state").values({ name: SPEND_BACKFILL, value: "{}" }).execute();
	});
	expect(await drop(store, projects.map(rule))).toEqual([]);
	await store.db.write(async (transaction) => {
		await transaction.deleteFrom("state").where("name", "=", SPEND_BACKFILL).execute();
	});

	expect(await drop(store, projects.map(rule))).toEqual([new Map(projects.map((project) => [project, 1]))]);
	expect(await months(store)).not.toContain("spans_y2023m11");
	expect(await months(store)).toContain("spans_y2023m12");
	expect(await allTraces(store, projects[0])).toMatchObject([{ sessionId: "both", spanCount: 1 }]);
	expect(await allTraces(store, projects[1])).toEqual([]);
	expect(await store.traces.findSessionsBySessionId("november")).toEqual([]);
	expect(await readSpend(store, projects[0])).toEqual({});
	expect(await readSpend(store, projects[0], "all")).toEqual(spent);
	expect(await store.db.read.selectFrom("annotations").select("id").execute()).toEqual([]);
	expect(await damageOf(store)).toEqual([]);

	await store.writer.write(november, []);
	expect(await allTraces(store, projects[0])).toHaveLength(2);
	expect(await damageOf(store)).toEqual([]);
});

testWithPostgres(
	"deletes what reaches out of a month before dropping it, and keeps a month that is reached into",
	async () => {
		await using store = await openTestStore();
		await makeMonths(store);
		await store.writer.write(
			[testSpan({ trace: 1 }), testSpan({ trace: 1, span: 2, start: IN_DECEMBER }), testSpan({ trace: 2, span: 3 })],
			[],
		);
		const rule = { projectId: await projectId(store), beforeMicros: HOUR_0 + IN_DECEMBER - 1, keepAnnotated: false };
		await insertAnnotation(store, { on: "trace", name: "liked" });
		const later = { ...rule, beforeMicros: HOUR_0 + NEVER_ENDS };
		expect(await drop(store, [{ ...later, keepAnnotated: true }])).toEqual([new Map()]);
		expect(await allTraces(store, rule.projectId)).toHaveLength(2);

		expect(await drop(store, [rule])).toEqual([new Map([[rule.projectId, 1]]), new Map([[rule.projectId, 1]])]);
		expect(await allTraces(store, rule.projectId)).toEqual([]);
		expect(await months(store)).not.toContain("spans_y2023m11");
		expect(await drop(store, [later])).toEqual([new Map()]);
		expect(await months(store)).not.toContain("spans_y2023m12");
		expect(await damageOf(store)).toEqual([]);
	},
);

testWithPostgres("lets a month be when somebody writes to it who waits for what dropping it has locked", async () => {
	await using store = await openTestStore();
	await makeMonths(store);
	await store.writer.write([testSpan({})], []);
	const rule = { projectId: await projectId(store), beforeMicros: HOUR_0 + IN_DECEMBER - 1, keepAnnotated: false };
	await withClient(store, async (client) => {
		await client.query("begin; set local lock_timeout = '5s'; lock table spans_y2023m11 in row exclusive mode");
		const dropping = drop(store, [rule]);
		const isAtIt = async () =>
			(await client.query("select from pg_locks where relation = 'spans_y2023m11'::regclass and not granted")).rowCount;
		await expect.poll(isAtIt, { interval: 10 }).toBe(1);
		expect((await client.query("select from traces for update")).rowCount).toBe(1);
		expect(await dropping).toEqual([]);
		await client.query("rollback");
	});
	expect(await drop(store, [rule])).toEqual([new Map([[rule.projectId, 1]])]);
	// As another process would that found the month at the same time.
	const { settings } = store;
	const pool = new pg.Pool(connectionConfig(settings, settings.primary, { name: "test" }));
	const [from, to] = [Date.UTC(2023, 10) * 1_000, Date.UTC(2023, 11) * 1_000];
	const partitions = { spans: "spans_y2023m11", blocks: "blocks_y2023m11", groups: "block_text_groups_y2023m11" };
	const month = { from, to, ...partitions, restOfBlocks: undefined };
	expect(
		await dropPeriod(pool, postgresReferences, { ...month, projectIds: [rule.projectId], keepingAnnotated: [] }),
	).toBeUndefined();
	await pool.end();
	expect(await damageOf(store)).toEqual([]);
});

testWithPostgres("keeps a month when a session in it is being annotated at that moment", async () => {
	await using store = await openTestStore();
	await makeMonths(store);
	await store.writer.write([testSpan({ session: "s" })], []);
	const project = await projectId(store);
	const rule = { projectId: project, beforeMicros: HOUR_0 + IN_DECEMBER - 1, keepAnnotated: true };
	let dropping: ReturnType<typeof drop> | undefined;
	await store.db.write(async (transaction) => {
		// The row exists and locks what it refers to, but is not visible to others yet.
		const write: typeof store.db.write = (work) => work(transaction);
		const annotating = { ...store, db: { ...store.db, write } };
		await insertAnnotation(annotating, { on: "session", session: "s", name: "liked" });
		dropping = drop(store, [rule]);
		const waiting = async () => {
			const { rows } = await sql`select from pg_locks
				where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`.execute(transaction);
			return rows.length;
		};
		await expect.poll(waiting).toBe(1);
	});
	expect(await dropping).toEqual([]);
	expect(await allTraces(store, project)).toHaveLength(1);
	expect(await store.db.read.selectFrom("annotations").select("id").execute()).toHaveLength(1);
	expect(await drop(store, [{ ...rule, keepAnnotated: false }])).toEqual([new Map([[project, 1]])]);
});

async function drop({ traces }: PostgresUnderTest, rules: readonly RetentionRule[]) {
	const dropped: ReadonlyMap<number, number>[] = [];
	await traces.dropExpired?.(rules, async (deleted) => dropped.push(deleted) > 0);
	return dropped;
}

async function months(store: PostgresUnderTest): Promise<string[]> {
	return await withClient(store, async (client) => {
		const { rows } = await client.query(
			"select relname from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'spans'::regclass",
		);
		return rows.map(({ relname }) => String(relname));
	});
}

async function makeMonths(store: PostgresUnderTest): Promise<void> {
	await withClient(store, (client) => ensureMonths(client, HOUR_0, HOUR_0 + IN_DECEMBER));
}

async function withClient<T>({ settings }: PostgresUnderTest, use: (client: pg.Client) => Promise<T>): Promise<T> {
	const client = new pg.Client(connectionConfig(settings, settings.primary, { name: "test" }));
	await client.connect();
	try {
		return await use(client);
	} finally {
		await client.end();
	}
}

async function insertExample({ db }: PostgresUnderTest, spanRowId: number): Promise<void> {
	await db.write(async (transaction) => {
		const { id } = await transaction
			.insertInto("datasets")
			.values({ name: "kept", description: null, metadata: "{}", created_at: 0, updated_at: 0 })
			.returning("id")
			.executeTakeFirstOrThrow();
		await transaction
			.insertInto("dataset_examples")
			.values({
				dataset_id: id,
				external_id: null,
				span_row_id: spanRowId,
				trace_id: null,
				span_id: null,
				created_at: 0,
			})
			.execute();
	});
}

import type pg from "pg";
import { expect } from "vitest";
import { createTextSignatures } from "#storage/postgres/migrations/0008-text-signatures.ts";
import { openPostgres } from "#storage/postgres/open-postgres.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { projectId } from "#storage/traces/conformance/store-under-test.ts";
import { readStoredTexts } from "#storage/traces/span-meaning.ts";
import { HOUR_0, testLog, testSpan, traceHex } from "#storage/traces/test-spans.ts";
import { ensureMonths } from "../partitions.ts";
import { damageOf, openTestStore, type PostgresUnderTest } from "../test-store.ts";
import { openPostgresTraceWriter } from "../trace-writer.ts";
import { candidateBlocks } from "./candidate-blocks.ts";
import { SignatureGrouper } from "./group-signatures.ts";
import { keepTextIndex, withPool } from "./test-signatures.ts";

/** The next month, after `HOUR_0`. */
const A_MONTH = 30 * 86_400_000_000;

/** Writes blocks of one span, whose input has a word of the block's number. */
async function writeBlocks(
	{ writer }: Pick<PostgresUnderTest, "writer">,
	from: number,
	to: number,
	start = 0,
): Promise<void> {
	for (let number = from; number <= to; number++)
		await writer.write([testSpan({ trace: number, span: number, start: start + number, input: wordOf(number) })], []);
}

function wordOf(number: number): string {
	return `wort${number.toString().padStart(4, "0")}ende`;
}

/** How many blocks the index says may contain a word. */
function countCandidates(store: PostgresUnderTest, word: string): Promise<number | undefined> {
	return withPool(store, async (pool) => (await (await candidateBlocks(pool, [word]))?.list(1_000))?.size);
}

async function count(store: PostgresUnderTest, table: string): Promise<number> {
	const [row] = await ask(store, `select count(*) as count from ${table}`);
	return Number(row?.["count"]);
}

function ask(store: PostgresUnderTest, statement: string): Promise<Record<string, unknown>[]> {
	return withPool(store, async (pool) => (await pool.query(statement)).rows);
}

async function find({ traces }: Pick<PostgresUnderTest, "traces">, project: number, text: string): Promise<number[]> {
	const query = { projectId: project, sort: "start_time", order: "asc", limit: 1_000, text } as const;
	const { items } = await traces.listSpans(query);
	return items.map(({ spanId }) => Number.parseInt(spanId, 16));
}

async function deleteTrace({ traces }: PostgresUnderTest, trace: number): Promise<void> {
	const [found] = await traces.findTracesByTraceIds([traceHex(trace)]);
	if (found !== undefined) await traces.deleteTrace(found.id);
}

testWithPostgres("a word is looked up in few blocks from their commit on, before and after grouping", async () => {
	await using store = await openTestStore();
	await writeBlocks(store, 1, 40);
	const project = await projectId(store);
	expect(await countCandidates(store, wordOf(17))).toBeLessThan(10);
	expect(await find(store, project, wordOf(17))).toEqual([17]);
	await keepTextIndex(store);
	expect(await count(store, "block_text_groups")).toBeGreaterThan(2);
	expect(await count(store, "block_text_signatures")).toBeLessThan(16);
	expect(await countCandidates(store, wordOf(17))).toBeLessThan(10);
	for (const number of [1, 17, 40]) expect(await find(store, project, wordOf(number))).toEqual([number]);
	expect(await find(store, project, "wort")).toHaveLength(40);
	expect(await countCandidates(store, "xy")).toBeUndefined();
});

testWithPostgres("a signature of 8 KiB, which is stored out of line, is looked up like others", async () => {
	await using store = await openTestStore();
	const letters = (from: number) =>
		Array.from({ length: 20_000 }, (_, index) => ((from * 1e6 + index) * 2_654_435_761).toString(36)).join(" ");
	for (const number of [1, 2, 3])
		await store.writer.write(
			[testSpan({ trace: number, span: number, input: `${letters(number)} ${wordOf(number)}` })],
			[],
		);
	expect(await ask(store, "select distinct size from block_text_signatures")).toEqual([{ size: 8_192 }]);
	for (const number of [1, 2, 3]) expect(await find(store, await projectId(store), wordOf(number))).toEqual([number]);
	expect(await countCandidates(store, "вагонетка")).toBe(0);
});

testWithPostgres("log records are found in blocks of any age, and when they came before their span", async () => {
	await using store = await openTestStore();
	await writeBlocks(store, 1, 20);
	await keepTextIndex(store);
	await store.writer.write([], [testLog({ trace: 3, span: 3, content: "nachtrag" })]);
	await store.writer.write([], [testLog({ trace: 21, span: 21, content: "vorbote" })]);
	await writeBlocks(store, 21, 21);
	const project = await projectId(store);
	for (const _round of ["before", "after"]) {
		expect(await find(store, project, "nachtrag")).toEqual([3]);
		expect(await find(store, project, "vorbote")).toEqual([21]);
		expect(await find(store, project, `vorbote ${wordOf(21)}`)).toEqual([21]);
		expect(await countCandidates(store, "nachtrag")).toBeLessThan(10);
		await keepTextIndex(store);
	}
});

testWithPostgres("a group whose blocks are mostly deleted goes, and what is left of it is signed anew", async () => {
	await using store = await openTestStore();
	await writeBlocks(store, 1, 40);
	await keepTextIndex(store);
	expect(await count(store, "block_text_groups")).toBeGreaterThan(2);
	const project = await projectId(store);
	for (let number = 1; number <= 40; number++) if (number !== 37) await deleteTrace(store, number);
	await withPool(store, async (pool) => {
		const grouper = new SignatureGrouper(pool);
		while (await grouper.checkNext());
	});
	expect(await count(store, "block_text_groups")).toBe(0);
	expect(await find(store, project, wordOf(37))).toEqual([37]);
	await keepTextIndex(store);
	expect(await store.traces.countUnindexedBlocks(1)).toBe(0);
	expect(await count(store, "block_text_signatures")).toBe(1);
	expect(await find(store, project, wordOf(37))).toEqual([37]);
	expect(await find(store, project, wordOf(3))).toEqual([]);
	expect(await damageOf(store)).toEqual([]);
});

testWithPostgres("signatures to which none is added any more are grouped, although they are few", async () => {
	await using store = await openTestStore();
	await writeBlocks(store, 1, 13);
	await withPool(store, async (pool) => {
		const grouper = new SignatureGrouper(pool, { settledMs: 0, leastSettled: 2 });
		while (await grouper.makeNext());
	});
	expect(await count(store, "block_text_groups")).toBeGreaterThan(0);
	expect(await count(store, "block_text_signatures")).toBeLessThan(8);
	for (const number of [1, 13]) expect(await find(store, await projectId(store), wordOf(number))).toEqual([number]);
	expect(await damageOf(store)).toEqual([]);
});

testWithPostgres(
	"blocks of a server whose text index is off are found beside signed ones, and signed by others",
	async () => {
		await using store = await openTestStore();
		const settings = { ...store.settings, textIndex: false };
		await using writer = openPostgresTraceWriter({ kind: "postgres", settings }, readStoredTexts);
		await writeBlocks({ writer }, 1, 10);
		await writeBlocks(store, 11, 20);
		const project = await projectId(store);
		expect(await store.traces.countUnindexedBlocks(100)).toBe(10);
		expect(await countCandidates(store, wordOf(15))).toBeLessThan(15);
		for (const number of [3, 15]) expect(await find(store, project, wordOf(number))).toEqual([number]);
		await keepTextIndex(store);
		expect(await store.traces.countUnindexedBlocks(100)).toBe(0);
		for (const number of [3, 15]) {
			expect(await find(store, project, wordOf(number))).toEqual([number]);
			expect(await countCandidates(store, wordOf(number))).toBeLessThan(10);
		}
	},
);

testWithPostgres("the upkeep of a server signs what is unsigned, and groups of which little is left", async () => {
	await using store = await openTestStore();
	await writeBlocks(store, 1, 20);
	await keepTextIndex(store);
	for (let number = 1; number <= 19; number++) await deleteTrace(store, number);
	const index = store.storage.upkeep.find(({ name }) => name === "text index");
	const stop = new AbortController();
	const running = index?.run(stop.signal);
	await expect.poll(() => count(store, "block_text_groups")).toBe(0);
	await expect.poll(() => store.traces.countUnindexedBlocks(1)).toBe(0);
	stop.abort();
	await running;
	expect(await find(store, await projectId(store), wordOf(20))).toEqual([20]);
	expect(await damageOf(store)).toEqual([]);
});

testWithPostgres("a dropped month takes its signatures and groups along", async () => {
	await using store = await openTestStore();
	await withPool(store, async (pool) => {
		const client = await pool.connect();
		await ensureMonths(client, HOUR_0, HOUR_0 + A_MONTH).finally(() => client.release());
	});
	await writeBlocks(store, 1, 20);
	await writeBlocks(store, 21, 40, A_MONTH);
	await keepTextIndex(store);
	expect(await count(store, "block_text_groups_y2023m11")).toBeGreaterThan(0);
	const left = await count(store, "block_text_groups_y2023m12");
	const project = await projectId(store);
	const rule = { projectId: project, beforeMicros: HOUR_0 + A_MONTH - 1, keepAnnotated: false };
	await store.traces.dropExpired?.([rule], async () => true);
	expect(await ask(store, "select to_regclass('block_text_groups_y2023m11') as found")).toEqual([{ found: null }]);
	expect(await count(store, "block_text_groups")).toBe(left);
	expect(await ask(store, "select distinct month from block_text_signatures")).toHaveLength(1);
	expect(await find(store, project, wordOf(7))).toEqual([]);
	expect(await find(store, project, wordOf(27))).toEqual([27]);
	expect(await damageOf(store)).toEqual([]);
});

testWithPostgres("verify finds blocks whose texts a search would miss, with and without a group", async () => {
	await using store = await openTestStore();
	await writeBlocks(store, 1, 10);
	await store.writer.write([], [testLog({ trace: 2, span: 2, content: "nachtrag" })]);
	expect(await damageOf(store)).toEqual([]);
	await ask(store, "update block_text_signatures set signature = decode(repeat('00', size), 'hex') where block_id = 3");
	const missed = "text search misses texts of block 3: the signatures lack letters";
	expect(await damageOf(store)).toEqual([missed]);
	await keepTextIndex(store);
	expect(await damageOf(store)).toEqual([missed]);
	await ask(store, "insert into block_text_unsigned values (3, 3)");
	expect(await damageOf(store)).toEqual([]);
	await keepTextIndex(store);
	await ask(store, "update block_text_groups set slices = decode(repeat('00', size * members), 'hex')");
	expect(await damageOf(store)).toEqual([expect.stringMatching(/^text search misses texts of block \d and \d more/)]);
});

const COLUMNS_OF_RIGHTS = {
	projects: ["access"],
	datasets: ["project_id"],
	prompts: ["project_id"],
	waiting_annotations: ["api_key_id", "oauth2_grant_id"],
	idempotency_keys: ["entered"],
	api_keys: [
		...["permissions", "has_homes", "include_library", "ip_ranges", "allowed_origins", "requests_per_minute"],
		...["spans_per_day", "replaces", "last_used_ip", "last_refused_at", "last_refused_code", "expiry_mailed_at"],
	],
};

/** Undoes the migrations, as far as the text index is concerned, and what would be added twice. */
async function downgrade(store: PostgresUnderTest): Promise<void> {
	await ask(
		store,
		`drop table block_text_signatures, block_text_groups, block_text_unsigned, bulk_runs, repair_runs cascade;
		drop table access_policy, team_members, grants, access_rule_grants, access_rules, teams cascade;
		drop table api_key_projects, api_key_days cascade;
		drop table project_homes cascade;
		drop table experiment_job_tasks, experiment_job_experiments, experiment_jobs cascade;
		drop table dataset_evaluators, evaluator_versions, evaluators cascade;
		drop table model_usage, model_measures, model_lessons, model_holds, model_rates, money_spent, model_calls cascade;
		drop table model_credentials, model_connections cascade;
		alter table experiments drop column task;
		alter table datasets drop column evaluators_project_id;
		drop table spend, spend_projects, spend_api_keys, agent_calls, ingest_minutes, dashboards, default_views, saved_views cascade;
		drop table error_comments, error_activity, error_occurrences, error_group_fingerprints, error_groups cascade;
		drop table error_backlog, error_releases, error_settings cascade;
		drop table experiment_run_reviews, review_gold_runs, review_mails, review_rules, review_revisions, review_turns, review_items, review_queues cascade;
		drop table oauth2_device_codes, oauth2_codes, oauth2_access_tokens cascade;
		drop table oauth2_grant_projects, oauth2_grants, oauth2_clients cascade;
		${Object.entries(COLUMNS_OF_RIGHTS)
			.map(([table, columns]) => `alter table ${table} ${columns.map((column) => `drop column ${column}`).join(", ")};`)
			.join(" ")}
		alter table log_records drop column project_id;
		drop sequence block_text_group_numbers;
		drop view block_text;
		create table block_text (block_id bigint not null primary key, month bigint not null, grams integer[] not null);
		create index block_text_by_gram on block_text using gin (grams);
		insert into block_text select id, month, '{7}' from blocks where id % 2 = 0;
		insert into block_text_waiting select id, month from blocks where id % 2 = 1;
		${["traces", "sessions", "hours"].map((table) => `alter table ${table} drop column running_count;`).join(" ")}
		drop table unread_deployments;
		alter table spans drop column release, drop column environment, drop column api_key_id;
		alter table traces drop column release_span, drop column release, drop column environment_span,
			drop column environment;
		delete from schema_version where version >= 8`,
	);
}

testWithPostgres(
	"an upgrade signs what is stored in the background, while servers of the former version run",
	async () => {
		await using store = await openTestStore();
		await writeBlocks(store, 1, 20);
		const project = await projectId(store);
		await downgrade(store);
		await using upgraded = await openPostgres({ SERVICE_PROJECT_NAME: "default" }, store.settings);
		expect(await count(store, "block_text_waiting")).toBe(0);
		expect(await upgraded.traces.countUnindexedBlocks(100)).toBe(20);
		expect(await find(upgraded, project, wordOf(7))).toEqual([7]);

		// As the former version writes, searches and deletes.
		const settings = { ...store.settings, textIndex: false };
		await using former = openPostgresTraceWriter({ kind: "postgres", settings }, readStoredTexts);
		await writeBlocks({ writer: former }, 21, 21);
		const candidates = "select block_id from block_text where grams @> '{123}' or grams @> '{-1}'";
		expect(await ask(store, candidates)).toHaveLength(21);
		await ask(store, "delete from block_text where block_id = 3");
		expect(await count(store, "blocks")).toBe(21);

		await keepTextIndex(store);
		expect(await upgraded.traces.countUnindexedBlocks(100)).toBe(0);
		for (const number of [1, 7, 21]) {
			expect(await countCandidates(store, wordOf(number))).toBeLessThan(10);
			expect(await find(upgraded, project, wordOf(number))).toEqual([number]);
		}
		expect(await damageOf(store)).toEqual([]);
	},
);

testWithPostgres("the migration makes a partition for the groups of each month", async () => {
	await using store = await openTestStore();
	const partitions = `select replace(relname, 'block_text_groups', 'blocks') as name, pg_get_expr(relpartbound, pg_class.oid)
		from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'TABLE'::regclass order by 1`;
	await downgrade(store);
	await withPool(store, async (pool) => {
		const client = await pool.connect();
		await createTextSignatures(client).finally(() => client.release());
	});
	const of = (table: string) => ask(store, partitions.replace("TABLE", table));
	expect(await of("block_text_groups")).toEqual(await of("blocks"));
	expect(await of("block_text_groups")).not.toHaveLength(0);
});

testWithPostgres("a search misses nothing while others write, sign, group and make partitions", async () => {
	await using store = await openTestStore();
	const settings = { ...store.settings, textIndex: false };
	await using unsigned = openPostgresTraceWriter({ kind: "postgres", settings }, readStoredTexts);
	await writeBlocks(store, 1, 30);
	const project = await projectId(store);
	let isWriting = true;
	let last = 30;
	const write = async () => {
		while (last < 90) {
			const number = last + 1;
			await writeBlocks(
				number % 3 === 0 ? { writer: unsigned } : store,
				number,
				number,
				number % 2 === 0 ? A_MONTH : 0,
			);
			last = number;
		}
		isWriting = false;
	};
	const keep = async () => {
		while (isWriting) await keepTextIndex(store);
	};
	const makePartitions = (pool: pg.Pool) => async () => {
		const client = await pool.connect();
		try {
			await ensureMonths(client, HOUR_0, HOUR_0);
			await expect.poll(() => last).toBeGreaterThan(60);
			await ensureMonths(client, HOUR_0 + A_MONTH, HOUR_0 + A_MONTH);
		} finally {
			client.release();
		}
	};
	const search = async () => {
		for (let round = 0; isWriting; round++) {
			const number = round % 2 === 0 ? last : 1 + ((round * 17) % last);
			expect(await find(store, project, wordOf(number))).toEqual([number]);
		}
	};
	await withPool(store, (pool) => Promise.all([write(), keep(), makePartitions(pool)(), search()]));
	await keepTextIndex(store);
	for (let number = 1; number <= 90; number++) expect(await find(store, project, wordOf(number))).toEqual([number]);
	expect(await damageOf(store)).toEqual([]);
});

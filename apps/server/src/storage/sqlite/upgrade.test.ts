import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { hashInProject, NO_PROJECT } from "#storage/traces/content/log-record.ts";
import { openForWriting } from "./connection.ts";
import { createSpans } from "./migrations/0001-spans.ts";
import { makeCostsExact } from "./migrations/0007-exact-costs.ts";
import { createSchema, migrate, SCHEMA_VERSION } from "./migrations.ts";
import { openSqlite } from "./open-sqlite.ts";

/**
 * A folder with a database of the first schema that holds one project, its path and the settings to open it. Part of it
 * is only in SQLite's log, as after `kill -9`.
 */
async function firstSchema(project = "from before") {
	const folder = await mkdtemp(join(tmpdir(), "spanward-upgrade-"));
	const path = join(folder, "spanward.db");
	const written = join(folder, "written.db");
	await writeFile(written, "", { mode: 0o600 });
	const db = openForWriting(written, 2);
	db.exec("create table schema_version (version integer primary key, applied_at integer not null) strict");
	createSpans(db);
	db.exec("insert into schema_version values (1, 7)");
	db.prepare("insert into projects (name, created_at, updated_at) values (?, 1, 1)").run(project);
	await cp(written, path);
	await cp(`${written}-wal`, `${path}-wal`);
	db.close();
	await rm(written);
	return {
		folder,
		path,
		settings: {
			SERVICE_WORKING_DIR: folder,
			SERVICE_DATABASE_READERS: 1,
			SERVICE_ENABLE_TEXT_INDEX: true,
			SERVICE_PROJECT_NAME: "default",
		},
		[Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
	};
}

function read(path: string, sql: string): unknown[] {
	const db = new DatabaseSync(path, { readOnly: true });
	try {
		return db.prepare(sql).all();
	} finally {
		db.close();
	}
}

/** The schema, and the content that the test wrote. */
function contents(path: string): unknown[] {
	return [
		read(path, "select name, sql from sqlite_schema order by name"),
		read(path, "select * from schema_version"),
		read(path, "select name, created_at from projects order by id"),
	];
}

it("upgrades the first schema by itself, keeps what it holds, and leaves a copy of it for the owner alone", async () => {
	await using old = await firstSchema();
	const before = contents(old.path);
	const told: string[] = [];
	await (await openSqlite(old.settings, (sentence) => told.push(sentence)))[Symbol.asyncDispose]();
	expect(read(old.path, "select name from projects order by id")).toEqual([
		{ name: "from before" },
		{ name: "default" },
	]);
	expect(read(old.path, "select count(*) as count from users")).toEqual([{ count: 0 }]);
	const copy = `${old.path}.before-${SCHEMA_VERSION}`;
	expect(told.join()).toContain(copy);
	expect(contents(copy)).toEqual(before);
	expect((await stat(copy)).mode & 0o777).toBe(0o600);
});

it("makes no copy of a new database and none at a start without an upgrade, and drops that of an earlier upgrade", async () => {
	await using old = await firstSchema();
	await writeFile(`${old.path}.before-2`, "of an earlier upgrade");
	const copies = async () => (await readdir(old.folder)).filter((name) => name.includes(".before-"));
	await (await openSqlite(old.settings))[Symbol.asyncDispose]();
	expect(await copies()).toEqual([`spanward.db.before-${SCHEMA_VERSION}`]);
	await rm(`${old.path}.before-${SCHEMA_VERSION}`);
	const told: string[] = [];
	await (await openSqlite(old.settings, (sentence) => told.push(sentence)))[Symbol.asyncDispose]();
	for (const file of [old.path, `${old.path}-wal`, `${old.path}-shm`]) await rm(file, { force: true });
	await (await openSqlite(old.settings, (sentence) => told.push(sentence)))[Symbol.asyncDispose]();
	expect(await copies()).toEqual([]);
	expect(told).toEqual([]);
});

it("a failed upgrade leaves every byte of the data as it was, and says so", async () => {
	await using old = await firstSchema();
	const db = new DatabaseSync(old.path);
	// A name used by one of the last tables of the upgrade, so that what was created before has to be undone.
	db.exec("create table sign_in_tries (mine text)");
	db.exec("insert into sign_in_tries values ('kept')");
	db.close();
	// The first 100 bytes count how often the file was opened: https://www.sqlite.org/fileformat2.html
	const readData = async () => (await readFile(old.path)).subarray(100);
	const before = await readData();
	await expect(openSqlite(old.settings)).rejects.toThrow(
		/from schema version 1 to \d+ \(table sign_in_tries already exists\): nothing in it was changed/,
	);
	expect(Buffer.compare(await readData(), before)).toBe(0);
	expect(read(old.path, "select mine from sign_in_tries")).toEqual([{ mine: "kept" }]);
});

it("starts an upgrade anew when the last one was interrupted while copying", async () => {
	await using old = await firstSchema();
	await writeFile(`${old.path}.before-${SCHEMA_VERSION}.unfinished`, "half a copy");
	await (await openSqlite(old.settings))[Symbol.asyncDispose]();
	expect(await readdir(old.folder)).toEqual(
		expect.arrayContaining(["spanward.db", `spanward.db.before-${SCHEMA_VERSION}`]),
	);
	expect(await readdir(old.folder)).not.toContain(`spanward.db.before-${SCHEMA_VERSION}.unfinished`);
});

it("keeps annotations and evaluations when annotator kinds are added, and does not reuse their row numbers", () => {
	using db = new DatabaseSync(":memory:");
	createSchema(db, 4);
	db.exec("insert into schema_version values (4, 7)");
	const annotate = (id: number | null, kind: string) =>
		db
			.prepare(`insert into annotations (id, target, target_row_id, project_id, name, identifier, annotator_kind, metadata, source,
				created_at, updated_at) values (?, 'session', 1, 1, ?, '', ?, '{}', 'API', 1, 2) returning id`)
			.get(id, `${kind} ${id}`, kind)?.["id"];
	annotate(3, "CODE");
	annotate(9, "LLM");
	db.exec("delete from annotations where id = 9");
	expect(() => annotate(null, "AGENT")).toThrow("CHECK constraint failed");
	const before = db.prepare("select * from annotations").all();
	migrate(db);
	expect(db.prepare("select * from annotations").all()).toEqual(before);
	expect(annotate(null, "AGENT")).toBe(10);
	expect(annotate(null, "DECISION")).toBe(11);
	expect(() => annotate(null, "ROBOT")).toThrow("CHECK constraint failed");
	expect(db.prepare("pragma foreign_key_check").all()).toEqual([]);
});

it("recomputes sums of costs that one number could not hold, and leaves the others unchanged", () => {
	const db = new DatabaseSync(":memory:");
	createSchema(db, 4);
	db.exec(`
		insert into projects (id, name, created_at, updated_at) values (1, 'p', 1, 1);
		insert into sessions values (1, 1, 's', 0, 0, 0, 0, 2, 3, 0, 0, 0, 0, 9007199254740991, 3), (2, 1, 't', 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 5, 1);
	`);
	const insertTrace = db.prepare(
		`insert into traces (id, project_id, trace_id, session_row_id, start_micros, start_nanos, end_micros, end_nanos,
			span_count, error_count, tokens_prompt, tokens_completion, tokens_total, cost_pico, costed_spans, root_span,
			root_span_id, root_name, root_kind, root_status)
		values (?, 1, ?, ?, 0, 0, 0, 0, 1, 0, 0, 0, 0, ?, 1, 1, x'01', 'root', 1, 0)`,
	);
	insertTrace.run(1, Buffer.of(1), 1, 9_007_199_254_740_991);
	insertTrace.run(2, Buffer.of(2), 1, 7);
	insertTrace.run(3, Buffer.of(3), 2, 5);
	const insertSpan = db.prepare(
		`insert into spans (id, project_id, trace_row_id, span_id, start_micros, start_nanos, end_micros, end_nanos, kind,
			otel_kind, status_code, flags, block_id, ordinal, name, cost_total)
		values (?, 1, ?, ?, 0, 0, 0, 0, 1, 1, 0, ?, 1, 0, 'span', ?)`,
	);
	for (const [id, flags, dollars] of [
		[1, 0, 123_456_789.25],
		[2, 1, 0.000_000_000_003],
		[3, 4, 50],
		[4, 3, 60],
	] as const)
		insertSpan.run(id, 1, Buffer.of(id), flags, dollars);
	db.exec(
		"insert into hours values (1, 0, 1, '', 1, 1, 0, 0, 0, 0, 9007199254740991, x''), (1, 1, 1, '', 1, 1, 0, 0, 0, 0, 8, x'')",
	);
	makeCostsExact(db);
	const costs = (table: string) => db.prepare(`select cost_micro as micro, cost_pico as pico from ${table}`).all();
	const exact = { micro: 123_456_789_250_000, pico: 3 };
	expect(costs("traces order by id")).toEqual([exact, { micro: 0, pico: 7 }, { micro: 0, pico: 5 }]);
	expect(costs("sessions order by id")).toEqual([
		{ ...exact, pico: 10 },
		{ micro: 0, pico: 5 },
	]);
	expect(costs("hours order by hour")).toEqual([exact, { micro: 0, pico: 8 }]);
	db.close();
});

it("has releases of stored spans read behind the start", () => {
	const db = new DatabaseSync(":memory:");
	createSchema(db, 19);
	const insert = db.prepare(
		`insert into spans (id, project_id, trace_row_id, span_id, start_micros, start_nanos, end_micros, end_nanos, kind,
			otel_kind, status_code, flags, block_id, ordinal, name)
		values (?, 1, 1, unhex(?), 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 'step')`,
	);
	for (const id of [3, 8]) insert.run(id, `0${id}`.repeat(8));
	db.exec("insert into schema_version values (19, 1)");
	migrate(db);
	expect(db.prepare("select first_span, last_span from unread_deployments").all()).toEqual([
		{ first_span: 3, last_span: 8 },
	]);
	expect(db.prepare("select id, release, environment from spans").all()).toEqual([
		{ id: 3, release: null, environment: null },
		{ id: 8, release: null, environment: null },
	]);
	db.close();
});

it("has older failures looked for behind the start, where there is a project", () => {
	const backfill = "select json_extract(value, '$.before') > 1e15 as since from state where name = 'error_backfill'";
	for (const projects of [0, 1]) {
		using db = new DatabaseSync(":memory:");
		createSchema(db, 20);
		if (projects > 0) db.exec("insert into projects (name, created_at, updated_at) values ('shop', 1, 1)");
		db.exec("insert into schema_version values (20, 1)");
		migrate(db);
		expect(db.prepare(backfill).all()).toEqual(projects === 0 ? [] : [{ since: 1 }]);
	}
});

it("has what was spent before counted behind the start, where there is a project", () => {
	for (const projects of [0, 1]) {
		using db = new DatabaseSync(":memory:");
		createSchema(db, 26);
		if (projects > 0) db.exec("insert into projects (name, created_at, updated_at) values ('shop', 1, 1)");
		db.exec("insert into schema_version values (26, 1)");
		migrate(db);
		const left = db.prepare("select value from state where name = 'spend_backfill'").all();
		expect(left).toEqual(projects === 0 ? [] : [{ value: "{}" }]);
		expect(db.prepare("select api_key_id from spans").all()).toEqual([]);
	}
});

it("has blocks signed anew that were in the former text index", () => {
	using db = new DatabaseSync(":memory:");
	createSchema(db, 7);
	db.exec("insert into schema_version values (7, 7)");
	db.exec("insert into blocks values (3, 1, 1, x''), (4, 2, 2, x''), (9, 3, 3, x'')");
	db.exec("insert into block_text (rowid, text) values (3, 'xylophone')");
	migrate(db);
	expect(db.prepare("select first_block, last_block from block_text_unsigned").all()).toEqual([
		{ first_block: 3, last_block: 9 },
	]);
	expect(
		db.prepare("select name from sqlite_schema where name like 'block_text_%' and type = 'table'").all(),
	).toHaveLength(4);
});

const NO_DEPLOYMENT = { release_span: null, release: null, environment_span: null, environment: null };

it("drops the texts of traces from their rows, and keeps the traces and their annotations", () => {
	using db = new DatabaseSync(":memory:");
	createSchema(db, 10);
	db.exec(`
		insert into schema_version values (10, 7);
		insert into projects (id, name, created_at, updated_at) values (1, 'p', 1, 1);
		insert into traces (id, project_id, trace_id, start_micros, start_nanos, end_micros, end_nanos, span_count,
			error_count, tokens_prompt, tokens_completion, tokens_total, cost_micro, cost_pico, costed_spans, root_span,
			root_span_id, root_name, root_kind, root_status, user_id, input_span, output_span, first_input, last_output)
		values (7, 1, x'01', 1, 2, 3, 4, 2, 0, 5, 6, 11, 1, 2, 1, 8, x'02', 'root', 1, 0, 'ada', 8, 9, 'asked', 'said');
		insert into annotations (target, target_row_id, project_id, trace_row_id, name, identifier, annotator_kind, metadata,
			source, created_at, updated_at)
		values ('trace', 7, 1, 7, 'quality', '', 'HUMAN', '{}', 'API', 1, 2);
	`);
	const { first_input: _input, last_output: _output, ...kept } = db.prepare("select * from traces").get() ?? {};
	migrate(db);
	expect(db.prepare("select * from traces").all()).toEqual([{ ...kept, running_count: 0, ...NO_DEPLOYMENT }]);
	expect(db.prepare("select trace_row_id from annotations").all()).toEqual([{ trace_row_id: 7 }]);
	db.exec("delete from traces");
	expect(db.prepare("select * from annotations").all()).toEqual([]);
});

it("gives log records the projects that have their trace, and leaves those without a trace to the first that comes", () => {
	using db = new DatabaseSync(":memory:");
	createSchema(db, 15);
	db.exec(`
		insert into schema_version values (15, 7);
		insert into projects (id, name, created_at, updated_at) values (1, 'p', 1, 1), (2, 'q', 1, 1);
		insert into traces (project_id, trace_id, start_micros, start_nanos, end_micros, end_nanos, span_count, running_count,
			error_count, tokens_prompt, tokens_completion, tokens_total, cost_micro, cost_pico, costed_spans, root_span,
			root_span_id, root_name, root_kind, root_status)
		select column2, unhex(column1), 1, 2, 3, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 8, x'02', 'root', 1, 0
		from (values ('0a', 1), ('0b', 1), ('0b', 2));
		insert into log_records (trace_id, span_id, hash, time_micros, time_nanos, received_at, data)
		values (x'0a', x'01', x'11', 1, 0, 1, x''), (x'0b', x'01', x'11', 1, 0, 1, x''), (x'0c', x'01', x'11', 1, 0, 1, x'');
	`);
	migrate(db);
	const rows = db.prepare("select hex(trace_id) as trace, project_id, hash from log_records order by 1, 2").all();
	const hash = (projectId: number) => new Uint8Array(hashInProject(projectId, Buffer.from([0x11])));
	expect(rows).toEqual([
		{ trace: "0A", project_id: 1, hash: hash(1) },
		{ trace: "0B", project_id: 1, hash: hash(1) },
		{ trace: "0B", project_id: 2, hash: hash(2) },
		{ trace: "0C", project_id: NO_PROJECT, hash: new Uint8Array([0x11]) },
	]);
});

it("makes review queues take runs of experiments, and keeps queues with what is in them", () => {
	using db = new DatabaseSync(":memory:");
	createSchema(db, 29);
	db.exec(`
		insert into schema_version values (29, 7);
		insert into projects (id, name, created_at, updated_at) values (1, 'p', 1, 1);
		insert into review_queues (id, name, target, questions, reviews_required, adjudicators, blind, item_order, seed,
			lease_minutes, created_at, updated_at, hide_model_annotations)
		values (3, 'kept', 'trace', '[]', 2, '[]', 1, 'random', 5, 15, 1, 2, 1), (9, 'gone', 'span', '[]', 1, '[]', 0,
			'oldest', 5, 15, 1, 2, 0);
		delete from review_queues where id = 9;
		insert into review_items (id, queue_id, project_id, target_row_id, trace_row_id, target_id, priority, random_rank,
			decision, decided_by, decided_at, is_published, created_at, updated_at)
		values (4, 3, 1, 7, 7, 'aa', 1, 2, '[]', 6, 8, 1, 1, 2);
		insert into review_turns (id, queue_id, item_id, reviewer, status, reserved_until, answers, started_at, seconds)
		values (5, 3, 4, 6, 'done', 1, '[]', 1, 2.5);
		insert into review_rules values (3, 1, '', 1, null, 1, null, null, '{}', 1, 1, 1, 1, 1, 1, 1, 1, 1);
	`);
	const tables = ["review_queues", "review_items", "review_turns", "review_rules"];
	const all = () => tables.map((table) => db.prepare(`select * from ${table}`).all());
	const before = all();
	migrate(db);
	expect(all()).toEqual(before);
	db.exec(`insert into review_queues (name, target, questions, reviews_required, adjudicators, blind, item_order, seed,
			lease_minutes, created_at, updated_at)
		values ('of runs', 'experiment_run', '[]', 1, '[]', 0, 'oldest', 5, 15, 1, 2)`);
	expect(db.prepare("select id from review_queues where name = 'of runs'").get()).toEqual({ id: 10 });
	db.exec("delete from review_queues where id = 3");
	expect(all().map((rows) => rows.length)).toEqual([1, 0, 0, 0]);
});

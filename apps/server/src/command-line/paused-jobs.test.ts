import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, it, vi } from "vitest";
import { copyDatabase } from "#storage/copy/moving/copy-database.ts";
import { openPostgresSource, openPostgresTarget } from "#storage/copy/moving/postgres-side.ts";
import { openSqliteSource, openSqliteTarget } from "#storage/copy/moving/sqlite-side.ts";
import { pauseJobsOfFile } from "#storage/copy/pause-jobs.ts";
import { createTestSchema, testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { createSchema, migrate, SCHEMA_VERSION } from "#storage/sqlite/migrations.ts";
import { restoreCommand } from "./restore.ts";
import { rollbackCommand } from "./rollback.ts";

const folder = mkdtempSync(join(tmpdir(), "spanward-jobs-"));
afterAll(() => rmSync(folder, { recursive: true }));

const source = join(folder, "source.db");
{
	using db = new DatabaseSync(source);
	migrate(db);
	const insert = db.prepare(
		`insert into experiment_jobs (kind, name, state, reason, definition, total_runs, revision, principal, created_at, updated_at)
		values ('run', ?, ?, ?, '{}', 1, 0, '{}', 1, 1)`,
	);
	for (const [state, reason] of [
		["waiting", null],
		["running", null],
		["paused", "storage_full"],
		["done", null],
		["cancelled", null],
	] as const)
		insert.run(state, state, reason);
}
const BEFORE = ["waiting", "running", "paused storage_full", "done", "cancelled"];
const PAUSED = ["paused restored", "paused restored", "paused restored", "done", "cancelled"];

function statesIn(path: string): string[] {
	using db = new DatabaseSync(path);
	const rows = db.prepare("select state, reason from experiment_jobs order by id").all();
	return rows.map(({ state, reason }) => (reason === null ? String(state) : `${state} ${reason}`));
}

/** What the command prints. */
async function printed(command: () => Promise<void>): Promise<string> {
	const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
	try {
		await command();
		return write.mock.calls.map(([text]) => String(text)).join("");
	} finally {
		write.mockRestore();
	}
}

it("E83 restored jobs are paused, and go on with --keep-running", async () => {
	const restored = join(folder, "restored");
	const env = { SERVICE_WORKING_DIR: restored };
	expect(await printed(() => restoreCommand([source], env))).toContain(
		"3 experiment jobs that had not ended are paused",
	);
	expect(statesIn(join(restored, "spanward.db"))).toEqual(PAUSED);
	const again = await printed(() => restoreCommand([source, "--force", "--keep-running", "--json"], env));
	expect(JSON.parse(again)).toMatchObject({ pausedJobs: 0 });
	expect(statesIn(join(restored, "spanward.db"))).toEqual(BEFORE);
	expect(statesIn(source)).toEqual(BEFORE);

	const copy = () => copyFileSync(source, join(restored, `spanward.db.before-${SCHEMA_VERSION}`));
	copy();
	expect(await printed(() => rollbackCommand(["--yes"], env))).toContain("3 experiment jobs");
	expect(statesIn(join(restored, "spanward.db"))).toEqual(PAUSED);
	copy();
	expect(await printed(() => rollbackCommand(["--yes", "--keep-running"], env))).not.toContain("experiment job");
	expect(statesIn(join(restored, "spanward.db"))).toEqual(BEFORE);
});

it("E83 a database of a former release has none", () => {
	const old = join(folder, "old.db");
	{
		using db = new DatabaseSync(old);
		createSchema(db, 1);
	}
	expect(pauseJobsOfFile(old)).toBe(0);
});

testWithPostgres("E83 copied jobs are paused, and go on with --keep-running", async () => {
	await using schema = await createTestSchema();
	{
		await using from = openSqliteSource(source);
		await using to = await openPostgresTarget(schema.settings);
		expect(await copyDatabase(from, to, undefined, { keepsRunning: true })).toMatchObject({ pausedJobs: 0 });
	}
	const back = join(folder, "back.db");
	{
		await using from = await openPostgresSource(schema.settings);
		await using to = openSqliteTarget(back);
		expect(await copyDatabase(from, to)).toMatchObject({ pausedJobs: 3 });
	}
	expect(statesIn(back)).toEqual(PAUSED);
	await using other = await createTestSchema();
	await using from = openSqliteSource(source);
	await using to = await openPostgresTarget(other.settings);
	expect(await copyDatabase(from, to)).toMatchObject({ pausedJobs: 3 });
});

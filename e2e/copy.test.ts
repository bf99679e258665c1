import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect } from "vitest";
import { createTestSchema, testWithPostgres } from "../apps/server/src/storage/postgres/test-postgres.ts";
import { fill, REQUESTS, readAnswers, send, sendProtobuf, temporaryFolder } from "./copied-data.ts";
import { createLoad } from "./load.ts";
import { createTestServer, startServer } from "./server.ts";
import { spanward } from "./spanward-command.ts";

const COMMAND = join(import.meta.dirname, "../apps/command-line/src/main.ts");
/** What servers fill by themselves, and the places of contents that were packed anew. */
const NOT_COMPARED = /^(sqlite_|block_(text|merging)|span_lookup|schema_version)/;

function dump(folder: string): Record<string, unknown[]> {
	const db = new DatabaseSync(join(folder, "spanward.db"), { readOnly: true });
	const names = db.prepare("select name from sqlite_schema where type = 'table' order by name").all();
	const tables = names.map(({ name }) => String(name)).filter((name) => !NOT_COMPARED.test(name));
	const old = Number(db.prepare("select next from row_numbers where name = 'blocks'").get()?.["next"]);
	const moved = new Set(
		db
			.prepare("select block_id from spans where trace_row_id = (select id from traces where trace_id = ?)")
			.all(Buffer.from("c".repeat(32), "hex"))
			.map(({ block_id }) => block_id),
	);
	const dumped = Object.fromEntries(
		tables.map((table) => {
			const rows = db.prepare(`select * from ${table}`).all();
			if (table === "spans")
				return [table, rows.map((row) => (moved.has(row["block_id"]) ? { ...row, block_id: 0, ordinal: 0 } : row))];
			if (table === "blocks") return [table, rows.filter(({ id }) => !moved.has(id))];
			if (table === "row_numbers") return [table, rows.filter(({ name }) => name !== "blocks")];
			return [table, rows];
		}),
	);
	dumped["sequences"] = db.prepare("select * from sqlite_sequence where seq > 0 order by name").all();
	expect(old).toBeGreaterThan(1);
	db.close();
	return JSON.parse(
		JSON.stringify(dumped, (_, value) => (typeof value === "string" ? value.replaceAll("\0", "\uFFFD") : value)),
	);
}

testWithPostgres(
	"RV26 everything goes to PostgreSQL, also when the copy is killed in between, and comes back equal and sound, as from a backup",
	async () => {
		await using temporary = await temporaryFolder();
		await using schema = await createTestSchema();
		const [folder, back] = [join(temporary.folder, "first"), join(temporary.folder, "back")];
		const answers = await fill(folder);
		const there = ["copy", "--from", `sqlite:${folder}`, "--to", schema.url, "--schema", schema.schema, "--json"];

		await killWhileCopying(there, schema);
		const none = await spanward(["copy", "--from", schema.url, "--schema", schema.schema, "--to", `sqlite:${back}`]);
		expect(none).toMatchObject({ code: 65, stderr: expect.stringContaining("no whole database") });
		await using refused = await createTestServer({ storage: { url: schema.url, schema: schema.schema } });
		await once(refused.spawn(), "close");
		expect(refused.output).toContain("has an unfinished copy: run the same spanward copy again");
		const copied = await spanward(there);
		expect(copied).toMatchObject({ code: 0, stderr: "" });
		const report = JSON.parse(copied.stdout) as { resumed: number; repackedBlocks: number; tables: object };
		expect(report.resumed).toBeGreaterThanOrEqual(REQUESTS * 256);
		expect(report.repackedBlocks).toBe(1);
		expect(await spanward(there)).toMatchObject({
			code: 65,
			stderr: expect.stringContaining("a database of Spanward already"),
		});

		const returned = await spanward([
			"copy",
			"--from",
			schema.url,
			"--schema",
			schema.schema,
			"--to",
			`sqlite:${back}`,
		]);
		expect(returned).toMatchObject({ code: 0, stdout: expect.stringContaining(`spans: ${REQUESTS * 256 + 3}`) });
		expect(await readdir(back)).toContain("spanward.db");
		expect(dump(back)).toEqual(dump(folder));
		expect(await spanward(["verify"], { env: { SERVICE_WORKING_DIR: back } })).toMatchObject({ code: 0 });
		const [saved, restored] = [join(temporary.folder, "saved.db"), join(temporary.folder, "restored")];
		expect(await spanward(["backup", saved], { env: { SERVICE_WORKING_DIR: back } })).toMatchObject({ code: 0 });
		expect(await spanward(["restore", saved], { env: { SERVICE_WORKING_DIR: restored } })).toMatchObject({ code: 0 });
		expect(dump(restored)).toEqual(dump(back));

		const env = { SERVICE_SQL_DATABASE_URL: schema.url, SERVICE_SQL_DATABASE_SCHEMA: schema.schema };
		expect(await spanward(["verify"], { env })).toMatchObject({ code: 0 });
		await using server = await startServer({ authentication: false, env });
		expect(await readAnswers(server)).toEqual(answers);
		await send(server, "/v1/datasets/upload?sync=true", { action: "create", name: "new", inputs: [{}], outputs: [{}] });
		await sendProtobuf(server, "/v1/traces", createLoad()(REQUESTS).body);
	},
);

/** Holds the copy up at one of the last tables, and kills it there. */
async function killWhileCopying(args: readonly string[], { url, schema }: { url: string; schema: string }) {
	const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
	await client.connect();
	try {
		while (!(await killAtAnnotations(args, client))) {
			await client.query(`rollback; drop schema ${schema} cascade; create schema ${schema}`);
		}
	} finally {
		await client.end();
	}
}

/** @returns false when the copy had ended before it could be held up */
async function killAtAnnotations(args: readonly string[], client: pg.Client): Promise<boolean> {
	const child = spawn(process.execPath, [COMMAND, ...args], { stdio: "ignore" });
	const hasEnded = () => child.exitCode !== null;
	const ended = once(child, "exit");
	try {
		const found = async (sql: string) => hasEnded() || (await client.query(sql)).rows.length > 0;
		await expect
			.poll(() => found("select 1 where to_regclass('copy_state') is not null"), { interval: 5, timeout: 300_000 })
			.toBe(true);
		if (hasEnded()) return false;
		await client.query("begin; lock table annotations in access exclusive mode");
		const waits = `select 1 from pg_locks where not granted and relation = 'annotations'::regclass`;
		await expect.poll(() => found(waits), { interval: 20, timeout: 600_000 }).toBe(true);
		return !hasEnded();
	} finally {
		child.kill("SIGKILL");
		await ended;
	}
}

testWithPostgres("a copy is refused where it would mix two databases, or what it is given is none", async () => {
	await using temporary = await temporaryFolder();
	const { folder } = temporary;
	await using server = await startServer({ authentication: false });
	const nowhere = "postgresql://somebody:hidden-word@127.0.0.1:1/none";
	const running = await spanward(["copy", "--from", `sqlite:${server.workingDir}`, "--to", nowhere]);
	expect(running).toMatchObject({ code: 1, stderr: expect.stringContaining("another Spanward") });
	await server.stop();
	const unreachable = await spanward(["copy", "--from", `sqlite:${server.workingDir}`, "--to", nowhere]);
	expect(unreachable.code).toBe(1);
	expect(unreachable.stderr).not.toContain("hidden-word");
	expect((await spanward(["copy", "--from", `sqlite:${folder}`, "--to", nowhere])).code).toBe(65);
	expect((await spanward(["copy", "--from", "mysql://x", "--to", nowhere])).code).toBe(64);
	expect((await spanward(["copy", "--to", nowhere])).code).toBe(64);
	const misspelt = await spanward(["copy", "--from", "postgresql://u@h/db?foo=1", "--to", nowhere]);
	expect(misspelt).toMatchObject({ code: 64, stderr: expect.stringMatching(/^The address has parameter foo/) });
	expect((await spanward(["copy", "--from", "sqlite:a", "--to", "sqlite:b"])).code).toBe(64);
	const rounds = ["copy", "--from", `sqlite:${server.workingDir}`, "--to", nowhere, "--servers-running", "--since"];
	expect(await spanward(rounds)).toMatchObject({ code: 64, stderr: expect.stringContaining("is the first round") });
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect } from "vitest";
import { createTestSchema, testWithPostgres } from "../apps/server/src/storage/postgres/test-postgres.ts";
import { createLoad } from "./load.ts";
import { startServer, type TestServer } from "./server.ts";
import { spanward } from "./spanward-command.ts";

const COMMAND = join(import.meta.dirname, "../apps/server/src/command-line/cli.ts");
const REQUESTS = 6;

async function temporaryFolder() {
	const folder = await mkdtemp(join(tmpdir(), "spanward-copy-"));
	return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

async function send(server: TestServer, path: string, body: object): Promise<unknown> {
	const headers = { "content-type": "application/json" };
	const response = await server.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
	if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
	return response.json();
}

const RANGE = "start_time=1970-01-01T00:00:00Z&end_time=2030-01-01T00:00:00Z";
const PATHS = [
	...["traces?limit=100&", "sessions?", "spans?limit=50&"].map((path) => `load/${path}${RANGE}`),
	"load/metrics?bucket=day&start_time=2026-01-01T00:00:00Z&end_time=2027-01-01T00:00:00Z",
	...["traces?", "spans?", "spans/otlpv1?"].map((path) => `months/${path}${RANGE}`),
];

async function readAnswers(server: TestServer): Promise<unknown[]> {
	return await Promise.all(PATHS.map((path) => server.getJson(`/v1/projects/${path}`)));
}

/** A folder with some of everything, one block of two months among it. @returns what its server answers */
async function fill(folder: string): Promise<unknown[]> {
	await using server = await startServer({ workingDir: folder, authentication: false });
	const next = createLoad();
	for (let number = 0; number < REQUESTS; number += 1) {
		const headers = { "content-type": "application/x-protobuf" };
		const body = Buffer.from(next(number).body);
		expect((await server.fetch("/v1/traces", { method: "POST", headers, body })).ok).toBe(true);
	}
	const context = (span: string) => ({ trace_id: "c".repeat(32), span_id: span.repeat(16) });
	const span = (id: string, start: string) => ({
		...{ name: `at ${start}`, context: context(id), span_kind: "LLM", status_code: "OK" },
		...{ start_time: start, end_time: "2026-02-01T00:00:09Z", attributes: { "session.id": "turn of the month" } },
	});
	await send(server, "/v1/projects/months/spans", {
		data: [
			span("1", "2026-01-31T23:59:59Z"),
			span("2", "2026-02-01T00:00:01Z"),
			{ ...span("3", "1971-01-01T00:00:00Z"), parent_id: "an id that is not OpenTelemetry's" },
		],
	});
	const annotated = { name: "quality", annotator_kind: "HUMAN", result: { score: 0.1, label: "good" } };
	await send(server, "/v1/span_annotations?sync=true", { data: [{ span_id: "2".repeat(16), ...annotated }] });
	await send(server, "/v1/span_annotations", { data: [{ span_id: "one that did not arrive", ...annotated }] });
	const rows = { inputs: [{ q: "1+1" }, { q: "2+2" }], outputs: [{ a: "2" }, { a: "4" }], splits: ["train", "test"] };
	await send(server, "/v1/datasets/upload?sync=true", { action: "create", name: "sums", ...rows });
	const prompt = { name: "greet" };
	const template = { type: "chat", messages: [{ role: "user", content: "hi" }] };
	const model = {
		model_provider: "OPENAI",
		model_name: "gpt-4o",
		invocation_parameters: { type: "openai", openai: {} },
	};
	const version = { ...model, template, template_type: "CHAT", template_format: "NONE" };
	await send(server, "/v1/prompts", { prompt, version });
	const answers = await readAnswers(server);
	await server.stop();
	const db = new DatabaseSync(join(folder, "spanward.db"));
	db.exec("update spans set status_message = 'one' || char(0) || 'two' where id = 5");
	// As after rows were deleted: their numbers are not to come again.
	db.exec("update sqlite_sequence set seq = 70 where name = 'datasets'; update row_numbers set next = next + 5");
	db.close();
	return answers;
}

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
	"everything goes to PostgreSQL, also when the copy is killed in between, and comes back equal and sound",
	async () => {
		await using temporary = await temporaryFolder();
		await using schema = await createTestSchema();
		const [folder, back] = [join(temporary.folder, "first"), join(temporary.folder, "back")];
		const answers = await fill(folder);
		const there = ["copy", "--from", `sqlite:${folder}`, "--to", schema.url, "--schema", schema.schema, "--json"];

		await killWhileCopying(there, schema);
		const none = await spanward(["copy", "--from", schema.url, "--schema", schema.schema, "--to", `sqlite:${back}`]);
		expect(none).toMatchObject({ code: 65, stderr: expect.stringContaining("no whole database") });
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

		const env = { SERVICE_SQL_DATABASE_URL: schema.url, SERVICE_SQL_DATABASE_SCHEMA: schema.schema };
		expect(await spanward(["verify"], { env })).toMatchObject({ code: 0 });
		await using server = await startServer({ authentication: false, env });
		expect(await readAnswers(server)).toEqual(answers);
		await send(server, "/v1/datasets/upload?sync=true", { action: "create", name: "new", inputs: [{}], outputs: [{}] });
		const headers = { "content-type": "application/x-protobuf" };
		const body = Buffer.from(createLoad()(REQUESTS).body);
		expect((await server.fetch("/v1/traces", { method: "POST", headers, body })).ok).toBe(true);
	},
);

/** Holds the copy up at one of the last tables, and kills it there. */
async function killWhileCopying(args: readonly string[], { url, schema }: { url: string; schema: string }) {
	const client = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` });
	await client.connect();
	const child = spawn(process.execPath, [COMMAND, ...args], { stdio: "ignore" });
	try {
		const found = async (sql: string) => (await client.query(sql)).rows.length > 0;
		await expect
			.poll(() => found("select 1 where to_regclass('copy_state') is not null"), { interval: 5, timeout: 300_000 })
			.toBe(true);
		await client.query("begin; lock table annotations in access exclusive mode");
		const waits = `select 1 from pg_locks where not granted and relation = 'annotations'::regclass`;
		await expect.poll(() => found(waits), { interval: 20, timeout: 600_000 }).toBe(true);
		const ended = once(child, "exit");
		child.kill("SIGKILL");
		await ended;
	} finally {
		child.kill("SIGKILL");
		await client.end();
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
});

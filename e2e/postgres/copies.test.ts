import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect } from "vitest";
import { testWithPostgres } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { asPostgres, POSTGRES_BIN, type Postgres, startPostgres } from "../peers/postgres.ts";
import { PeerProcess, runToEnd } from "../peers/process.ts";
import { freePort, startServer } from "../server.ts";
import { spanward } from "../spanward-command.ts";

const SCHEMA = "copied";
/** Nobody balances load here. */
const AT_ONCE = { SERVICE_DRAIN_SECONDS: "0" };

let folder: string;
let postgres: Postgres;
beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), "spanward-copies-"));
	chmodSync(folder, 0o777);
	postgres = await startPostgres();
});
afterAll(async () => {
	await postgres[Symbol.asyncDispose]();
	rmSync(folder, { recursive: true });
});

async function asUser(program: string, args: readonly string[]): Promise<string> {
	const [command = "", ...rest] = await asPostgres([`${POSTGRES_BIN}/${program}`, ...args]);
	return await runToEnd(command, rest, { cwd: tmpdir() });
}

async function execute(statement: string): Promise<readonly Record<string, unknown>[]> {
	const client = new pg.Client(postgres.url);
	await client.connect();
	try {
		return (await client.query(statement)).rows;
	} finally {
		await client.end();
	}
}

async function sendSpan(url: string, name: string): Promise<void> {
	const now = Date.now();
	const span = {
		traceId: Buffer.from(name.padEnd(16, "-")).toString("hex"),
		spanId: Buffer.from(name.padEnd(8, "-").slice(0, 8)).toString("hex"),
		name,
		startTimeUnixNano: `${now}000000`,
		endTimeUnixNano: `${now + 5}000000`,
		attributes: [{ key: "input.value", value: { stringValue: `what ${name} was asked` } }],
	};
	const answer = await fetch(`${url}/v1/traces`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
	});
	expect(await answer.text()).toBe("{}");
}

async function readSpans(url: string): Promise<readonly unknown[]> {
	const answer = await fetch(`${url}/v1/projects/default/spans?limit=100`);
	const { data } = (await answer.json()) as { data: unknown[] };
	return data;
}

testWithPostgres(
	"pg_dump of a running server, restored into an empty database, is the same to a new server",
	async () => {
		const storage = { url: postgres.url, schema: SCHEMA };
		const file = join(folder, "spanward.dump");
		await using first = await startServer({ storage, env: AT_ONCE });
		await sendSpan(first.url, "first");
		const before = await readSpans(first.url);
		expect(before).toHaveLength(1);
		await asUser("pg_dump", ["--format=custom", `--schema=${SCHEMA}`, `--file=${file}`, postgres.url]);
		await sendSpan(first.url, "second");
		await first.stop();

		await execute("create database restored");
		const url = postgres.url.replace(/spanward$/, "restored");
		await asUser("pg_restore", ["--exit-on-error", `--dbname=${url}`, file]);
		await using second = await startServer({ storage: { url, schema: SCHEMA }, env: AT_ONCE });
		expect(await readSpans(second.url)).toEqual(before);
		// Numbers go on where they were, and what is new has its place.
		await sendSpan(second.url, "third");
		expect(await readSpans(second.url)).toHaveLength(2);
	},
);

testWithPostgres("a replica is read from, and the doctor looks whether it follows", async () => {
	const data = join(folder, "replica");
	await asUser("pg_basebackup", [
		"-D",
		data,
		"-R",
		"--checkpoint=fast",
		"-X",
		"stream",
		"-h",
		"127.0.0.1",
		"-p",
		String(postgres.port),
		"-U",
		"postgres",
	]);
	const port = await freePort();
	const program = [
		`${POSTGRES_BIN}/postgres`,
		"-D",
		data,
		"-p",
		String(port),
		"-c",
		"unix_socket_directories=",
		"-c",
		"fsync=off",
	];
	const [command = "", ...args] = await asPostgres([...program, "-c", "max_connections=400"]);
	const isReady = async () => {
		try {
			await runToEnd(`${POSTGRES_BIN}/pg_isready`, ["-q", "-h", "127.0.0.1", "-p", String(port)]);
			return true;
		} catch {
			return false;
		}
	};
	await using _replica = await PeerProcess.start({ name: "replica", command, args, isReady, readyWithinMs: 30_000 });
	const replica = { SERVICE_SQL_DATABASE_READ_REPLICA_URL: `postgresql://127.0.0.1:${port}/spanward` };
	await using server = await startServer({
		storage: { url: postgres.url, schema: "replicated" },
		env: { ...replica, ...AT_ONCE },
	});
	await sendSpan(server.url, "replicated");
	await expect.poll(() => readSpans(server.url), { timeout: 20_000 }).toHaveLength(1);
	const used = await execute(
		"select count(*)::int as count from pg_stat_activity where application_name = 'spanward traces'",
	);
	expect(used).toEqual([{ count: 0 }]);
	const { stdout } = await spanward(["doctor", "--json"], {
		env: {
			...replica,
			SERVICE_SQL_DATABASE_URL: postgres.url,
			SERVICE_SQL_DATABASE_SCHEMA: "replicated",
			SERVICE_WORKING_DIR: folder,
			SERVICE_PORT: String(server.port),
		},
	});
	expect(stdout).toContain("The replica follows the primary.");
});

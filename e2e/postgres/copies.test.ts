import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect } from "vitest";
import { readConfig } from "../../apps/server/src/base/config.ts";
import { postgresSettings } from "../../apps/server/src/base/settings/postgres.ts";
import { openStorage } from "../../apps/server/src/storage/open-storage.ts";
import { testWithPostgres } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { askAtRandom } from "../../apps/server/src/storage/traces/conformance/analytics.ts";
import { openPostgresTraceWriter } from "../../apps/server/src/storage/traces/postgres/trace-writer.ts";
import { readStoredTexts } from "../../apps/server/src/storage/traces/span-meaning.ts";
import { asPostgres, POSTGRES_BIN, type Postgres, startPostgres } from "../peers/postgres.ts";
import { runToEnd } from "../peers/process.ts";
import { startServer } from "../server.ts";
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

async function execute(statement: string, { url } = postgres): Promise<readonly Record<string, unknown>[]> {
	const client = new pg.Client(url);
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

async function readSpans(url: string, project = "default"): Promise<readonly { readonly name: string }[]> {
	const answer = await fetch(`${url}/v1/projects/${project}/spans?limit=100`);
	const { data } = (await answer.json()) as { data: { name: string }[] };
	return data;
}

async function post(url: string, path: string, body: object): Promise<void> {
	const headers = { "content-type": "application/json" };
	const answer = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
	if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`);
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

testWithPostgres("R11 a replica is read from while it can be, and the doctor looks whether it follows", async () => {
	await using replica = await postgres.startReplica();
	const settings = { SERVICE_SQL_DATABASE_READ_REPLICA_URL: `postgresql://127.0.0.1:${replica.port}/spanward` };
	// On the schema that the replica does not have yet a server starts and reads from the primary.
	await execute("select pg_wal_replay_pause()", replica);
	await using server = await startServer({
		storage: { url: postgres.url, schema: "replicated" },
		env: { ...settings, ...AT_ONCE, SERVICE_ENABLE_PROMETHEUS: "true" },
		authentication: false,
	});
	const readsReplica = async () => {
		const text = await (await fetch(`${server.url}/metrics`)).text();
		return /^spanward_database_reads_replica (\d)$/m.exec(text)?.[1];
	};
	await sendSpan(server.url, "first");
	expect(await readSpans(server.url)).toHaveLength(1);
	expect(await readsReplica()).toBe("0");
	await execute("select pg_wal_replay_resume()", replica);
	await expect.poll(readsReplica).toBe("1");

	// One that is behind shows lists as they were; what is asked for by its id is found.
	await expect.poll(() => readSpans(server.url)).toHaveLength(1);
	const config = readConfig({
		...settings,
		SERVICE_SQL_DATABASE_URL: postgres.url,
		SERVICE_SQL_DATABASE_SCHEMA: "replicated",
		SERVICE_WORKING_DIR: folder,
	});
	await using other = await openStorage(config, postgresSettings(config));
	await expect.poll(() => other.server?.readsReplica()).toBe(true);
	await execute("select pg_wal_replay_pause()", replica);
	await sendSpan(server.url, "second");
	expect(await readSpans(server.url)).toHaveLength(1);
	const analytics = await fetch(`${server.url}/v1/projects/default/analytics?group_by=name`);
	expect((await analytics.json()).data).toMatchObject({ source: "rows", all: { totals: { count: 1 } } });
	const id = Buffer.from("second".padEnd(16, "-")).toString("hex");
	const trace = await fetch(`${server.url}/v1/projects/default/traces/${id}?include=attributes&cumulative=true`);
	expect(await trace.text()).toContain('"input.value":"what second was asked"');
	// Of several ids the replica knows one.
	const ids = ["first", "second"].map((name) => Buffer.from(name.padEnd(16, "-")).toString("hex"));
	expect(other.server?.readsReplica()).toBe(true);
	expect(await other.traces.findTracesByTraceIds(ids)).toHaveLength(2);
	await execute("select pg_wal_replay_resume()", replica);
	await expect.poll(() => readSpans(server.url)).toHaveLength(2);

	// R11 Whoever sees only one of two projects must not find in a replica what has left it.
	const namesIn = async (project: string) => (await readSpans(server.url, project)).map(({ name }) => name);
	await post(server.url, "/v1/projects", { name: "archive" });
	const move = async (to: string) =>
		await post(server.url, "/v1/traces/transfer", { trace_identifiers: [id], destination_project_identifier: to });
	await execute("select pg_wal_replay_pause()", replica);
	await move("archive");
	expect(await namesIn("default")).toEqual(["first"]);
	expect(await namesIn("archive")).toEqual(["second"]);
	await expect.poll(() => other.server?.readsReplica()).toBe(false);
	await execute("select pg_wal_replay_resume()", replica);
	await expect.poll(() => other.server?.readsReplica()).toBe(true);
	await expect.poll(readsReplica).toBe("1");
	expect(await namesIn("archive")).toEqual(["second"]);
	await move("default");

	const { stdout } = await spanward(["doctor", "--json"], {
		env: {
			...settings,
			SERVICE_SQL_DATABASE_URL: postgres.url,
			SERVICE_SQL_DATABASE_SCHEMA: "replicated",
			SERVICE_WORKING_DIR: folder,
			SERVICE_PORT: String(server.port),
		},
	});
	expect(stdout).toContain("The replica follows the primary.");
	const env = { SERVICE_SQL_DATABASE_URL: replica.url, SERVICE_SQL_DATABASE_SCHEMA: "replicated" };
	expect(await spanward(["verify"], { env })).toMatchObject({ code: 0, stdout: expect.stringContaining("2 spans") });

	// W14 A replica answers questions as the primary does.
	const asked = readConfig({
		...{ ...settings, SERVICE_SQL_DATABASE_URL: postgres.url, SERVICE_SQL_DATABASE_SCHEMA: "asked" },
		SERVICE_WORKING_DIR: folder,
	});
	const primary = postgresSettings(asked);
	if (primary === undefined) throw new Error("there is a PostgreSQL");
	await using store = await openStorage(asked, primary);
	await using writer = openPostgresTraceWriter({ kind: "postgres", settings: primary }, readStoredTexts);
	await askAtRandom({ traces: store.traces, db: store.db, writer }, "spans", 20, async () => {
		const [mark] = await execute("select pg_current_wal_lsn()::text as mark");
		await expect
			.poll(() => execute(`select pg_last_wal_replay_lsn() >= '${mark?.["mark"]}' as has_it`, replica))
			.toEqual([{ has_it: true }]);
		await expect.poll(() => store.server?.readsReplica()).toBe(true);
	});

	// It stands still, is gone, and comes back: nobody is refused.
	{
		using _frozen = await replica.freeze();
		expect(await readSpans(server.url)).toHaveLength(2);
		expect(await readsReplica()).toBe("0");
	}
	await replica.kill();
	await sendSpan(server.url, "third");
	expect(await readSpans(server.url)).toHaveLength(3);
	await replica.start();
	await expect.poll(readsReplica).toBe("1");
	await replica.kill();
	// Those that find out before anybody looked.
	expect(await Promise.all([1, 2, 3].map(() => readSpans(server.url)))).toMatchObject([
		{ length: 3 },
		{ length: 3 },
		{ length: 3 },
	]);
});

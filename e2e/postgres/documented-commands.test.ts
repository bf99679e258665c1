import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect } from "vitest";
import { testWithPostgres } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { runToEnd } from "../peers/process.ts";
import { useSharedPeer } from "../peers/shared.ts";
import { startServer, type TestServer } from "../server.ts";
import { findSnippet } from "../snippets.ts";

const DATABASE = `documented_${process.pid}`;

type Row = Readonly<Record<string, unknown>>;

/** A connection to one database of the shared peer. */
async function connect(url: string): Promise<AsyncDisposable & { query: (text: string) => Promise<readonly Row[]> }> {
	const client = new pg.Client(url);
	await client.connect();
	return {
		query: async (text) => (await client.query(text)).rows,
		[Symbol.asyncDispose]: () => client.end(),
	};
}

async function sendSpan({ url }: TestServer, spanId: string): Promise<void> {
	const times = { startTimeUnixNano: "1767225600000000000", endTimeUnixNano: "1767225601000000000" };
	const spans = [{ traceId: "0af7651916cd43dd8448eb211c80319c", spanId, name: spanId, ...times }];
	const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
	const answer = await fetch(`${url}/v1/traces`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body,
	});
	expect(await answer.text()).toBe("{}");
}

testWithPostgres("the commands of docs/backup.md and docs/postgresql.md do what these say", async () => {
	const shared = new URL((await useSharedPeer("postgres")).url);
	await using admin = await connect(shared.href);
	await using cleanup = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), "spanward-documented-"));
	cleanup.defer(() => rm(folder, { recursive: true }));
	for (const name of [DATABASE, `${DATABASE}_restored`])
		cleanup.defer(async () => void (await admin.query(`drop database if exists ${name} with (force)`)));
	await admin.query(`create database ${DATABASE}`);
	const url = new URL(`/${DATABASE}`, shared).href;
	const environment = {
		SERVICE_SQL_DATABASE_URL: url,
		PGHOST: shared.hostname,
		PGPORT: shared.port,
		PGUSER: shared.username,
	};
	/** Here the user has another name, and somebody else may have a database `restored`. */
	const runDocumented = (file: string, part: string, server: TestServer) => {
		const commands = findSnippet(file, "sh", part, server)
			.replaceAll("/backup/", `${folder}/`)
			.replace("--owner=spanward restored", `${DATABASE}_restored`)
			.replace("--dbname=restored", `--dbname=${DATABASE}_restored`);
		return runToEnd("/bin/sh", ["-ec", commands], { cwd: folder, env: environment });
	};

	await using server = await startServer({ storage: { url, schema: "public" }, env: { SERVICE_DRAIN_SECONDS: "0" } });
	await sendSpan(server, "b7ad6b7169203331");
	await runDocumented("docs/backup.md", "pg_dump", server);
	await sendSpan(server, "b7ad6b7169203332");
	await server.stop();
	await runDocumented("docs/backup.md", "pg_restore", server);
	await using database = await connect(url);
	expect(
		await database.query(
			"select (select count(*)::int from public.spans) as here, (select count(*)::int from replaced.spans) as kept",
		),
	).toEqual([{ here: 1, kept: 2 }]);

	await runDocumented("docs/postgresql.md", "createdb", server);
	await using restored = await connect(new URL(`/${DATABASE}_restored`, shared).href);
	expect(await restored.query("select count(*)::int as here from spans")).toEqual([{ here: 1 }]);

	const keysOfSpans = `
		select array_agg(attname::text order by attname) as columns from pg_index, pg_attribute
		where indrelid = 'spans'::regclass and indisunique and attrelid = indrelid and attnum = any (indkey)`;
	const [before] = await database.query(keysOfSpans);
	const known = before?.["columns"] as readonly string[];
	// What only YugabyteDB has are the words of how columns are spread.
	const yugabyte = findSnippet("docs/postgresql.md", "sql", "trace_id hash", server).replace(/ (?:hash|asc)\b/g, "");
	await database.query(yugabyte);
	// What identifies a span, and what it is distributed by.
	expect(await database.query(keysOfSpans)).toEqual([{ columns: [...known, "trace_id"].sort() }]);
});

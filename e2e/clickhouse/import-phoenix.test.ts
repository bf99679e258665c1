import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect } from "vitest";
import { SECRET } from "../access/accounts.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { phoenixDatabase, SQLITE } from "../phoenix-database.ts";
import { freePort, startServer, type TestServer } from "../server.ts";
import { spanward } from "../spanward-command.ts";

const test = testWith("any clickhouse");

let clickhouse: ClickHouse;
let folder: string;
let phoenix: string;

beforeAll(async () => {
	clickhouse = await startClickHouse();
	folder = await mkdtemp(join(tmpdir(), "spanward-import-"));
	phoenix = join(folder, "phoenix.db");
	const db = new DatabaseSync(phoenix);
	db.exec(phoenixDatabase(SQLITE));
	db.close();
});
afterAll(async () => {
	await clickhouse[Symbol.asyncDispose]();
	await rm(folder, { recursive: true, force: true });
});

async function runImport(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<unknown> {
	const { code, stdout, stderr } = await spanward(["import-phoenix", phoenix, "--json", ...args], { env });
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	const { seconds: _, dryRun: __, ...report } = JSON.parse(stdout) as Record<string, unknown>;
	return report;
}

/** What the pages of the project show, but for the row numbers of sessions, which traces share in ClickHouse. */
async function shown(server: TestServer): Promise<unknown[]> {
	const paths = ["traces", "spans", "sessions", "annotation_names", "span_annotations?span_ids=b7ad6b7169203332"];
	const answers = await Promise.all(paths.map((path) => server.getJson(`/v1/projects/shop/${path}`)));
	const sessionId = /"UHJvamVjdFNlc3Npb24[^"]*"/g;
	return answers.map((answer) => JSON.parse(JSON.stringify(answer).replaceAll(sessionId, '"a session"')));
}

test("K83 an import from Phoenix into ClickHouse is the same as one into SQLite", async () => {
	const [plain, withClickHouse] = [join(folder, "plain"), join(folder, "with-clickhouse")];
	const { name, settings } = clickhouse.nameDatabase();
	const env = { SERVICE_WORKING_DIR: withClickHouse, ...settings };
	const dry = await runImport(env, "--dry-run");
	expect(await clickhouse.ask(`show databases like '${name}'`)).toBe("");
	expect(await runImport(env)).toEqual(dry);
	expect(await runImport({ SERVICE_WORKING_DIR: plain })).toEqual(dry);
	const again = (await runImport(env)) as { carried: Readonly<Record<string, { written: number }>> };
	expect(Object.values(again.carried).filter(({ written }) => written > 0)).toEqual([]);
	expect(await spanward(["verify"], { env })).toMatchObject({ code: 0, stderr: "" });
	await using inSqlite = await startServer({ workingDir: plain, authentication: false });
	await using inClickHouse = await startServer({ workingDir: withClickHouse, env: settings, authentication: false });
	expect(await shown(inClickHouse)).toEqual(await shown(inSqlite));
});

test("forget-secrets needs no ClickHouse", async () => {
	const { settings } = clickhouse.nameDatabase();
	await using server = await startServer({ env: { ...settings, SERVICE_SECRET: SECRET }, authentication: false });
	await server.stop();
	const nobody = { SERVICE_CLICKHOUSE_URL: `http://127.0.0.1:${await freePort()}` };
	const env = { ...nobody, SERVICE_WORKING_DIR: server.workingDir, SERVICE_SECRET: `${SECRET}2` };
	const forgotten = await spanward(["forget-secrets", "--yes"], { env });
	expect(forgotten).toMatchObject({ code: 0, stdout: expect.stringContaining("SERVICE_SECRET is accepted") });
});

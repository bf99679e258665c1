import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { SecretBox } from "#access/auth/secret-box.ts";
import { deriveSigningKeys } from "#access/auth/signing-keys.ts";
import { readConfig } from "#base/config.ts";
import { openConnection } from "#models/connections/open-connection.ts";
import { findConnectionNamed } from "#models/connections/queries.ts";
import { copyDatabase } from "#storage/copy/moving/copy-database.ts";
import { openPostgresSource, openPostgresTarget } from "#storage/copy/moving/postgres-side.ts";
import { openSqliteSource, openSqliteTarget } from "#storage/copy/moving/sqlite-side.ts";
import type { Database } from "#storage/database.ts";
import { createTestSchema, testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { openForReading } from "#storage/sqlite/connection.ts";
import { openTestApp } from "#test-app.ts";
import { backupCommand } from "./backup.ts";
import { readOnlyFile, readOnlyPostgres } from "./read-only-database.ts";
import { restoreCommand } from "./restore.ts";

const folder = mkdtempSync(join(tmpdir(), "spanward-connections-"));
afterAll(() => rmSync(folder, { recursive: true }));

const SECRET = { SERVICE_SECRET: "test-secret-0123456789-abcdefghijklmnop" };
const KEY = "sk-of-copied-data";
const served = join(folder, "served");
const source = join(served, "spanward.db");

beforeAll(async () => {
	await using server = await openTestApp({ SERVICE_WORKING_DIR: served, ...SECRET });
	const connection = {
		name: "main",
		kind: "openai",
		credentials: { api_key: { value: KEY } },
		headers: { "x-own": KEY },
	};
	expect((await server.call("POST", "/v1/model_connections", connection)).status).toBe(201);
});

/** What a call through the connection would be sent with, by a server on this database. */
async function opened(database: Database) {
	await using there = database;
	const keys = deriveSigningKeys(readConfig(SECRET));
	const row = await findConnectionNamed(there.read, "main");
	if (keys === undefined || row === undefined) throw new Error("there is no connection");
	const { credentials, headers } = await openConnection(there.read, { box: new SecretBox(keys), declared: [] }, row.id);
	return { credentials, headers };
}
const openedFile = (path: string) => opened(readOnlyFile(openForReading(path, 8)));

const WHOLE = { credentials: { api_key: KEY }, headers: { "x-own": KEY } };

it("E83 connections work after a backup was restored, with the same SERVICE_SECRET", async () => {
	const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
	const backup = join(folder, "backup.db");
	const restored = join(folder, "restored");
	try {
		await backupCommand([backup], { SERVICE_WORKING_DIR: served });
		await restoreCommand([backup], { SERVICE_WORKING_DIR: restored });
	} finally {
		write.mockRestore();
	}
	expect(await openedFile(join(restored, "spanward.db"))).toEqual(WHOLE);
});

testWithPostgres("E83 connections work in a copy in PostgreSQL, and in a copy of that", async () => {
	await using schema = await createTestSchema();
	{
		await using from = openSqliteSource(source);
		await using to = await openPostgresTarget(schema.settings);
		await copyDatabase(from, to);
	}
	expect(await opened(readOnlyPostgres(schema.settings, { name: "test", statementTimeoutMs: 60_000 }))).toEqual(WHOLE);
	const back = join(folder, "back.db");
	{
		await using from = await openPostgresSource(schema.settings);
		await using to = openSqliteTarget(back);
		await copyDatabase(from, to);
	}
	expect(await openedFile(back)).toEqual(WHOLE);
});

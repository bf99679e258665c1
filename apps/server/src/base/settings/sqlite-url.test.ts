import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openStorage } from "#storage/open-storage.ts";
import { readConfig } from "../config.ts";
import { postgresSettings } from "./postgres.ts";
import { warnings } from "./test-settings.ts";

const folderOf = (url: string) => readConfig({ SERVICE_SQL_DATABASE_URL: url }).SERVICE_WORKING_DIR;

test("an address of SQLite leads to a folder, and opens no file of another program", () => {
	expect(folderOf("sqlite:////data/spanward.db")).toBe("/data");
	expect(folderOf("sqlite:////data/phoenix.db")).toBe("/data/phoenix.db.spanward");
	expect(folderOf("sqlite:///phoenix.db")).toBe(join(process.cwd(), "phoenix.db.spanward"));
	expect(postgresSettings(readConfig({ SERVICE_SQL_DATABASE_URL: "sqlite:////data/x.db" }))).toBeUndefined();
	expect(warnings({ SERVICE_SQL_DATABASE_URL: "sqlite:////data/x.db" })).toEqual([
		"SERVICE_SQL_DATABASE_URL names no PostgreSQL: SQLite keeps everything in /data/x.db.spanward",
	]);
});

test("a database in memory is a folder of its own that is deleted when the server stops", async () => {
	const config = readConfig({ SERVICE_SQL_DATABASE_URL: "sqlite:///:memory:" });
	expect(config.SERVICE_WORKING_DIR).not.toBe(folderOf("sqlite:///:memory:"));
	const storage = await openStorage(config, undefined);
	expect(existsSync(config.SERVICE_WORKING_DIR)).toBe(true);
	await storage[Symbol.asyncDispose]();
	expect(existsSync(config.SERVICE_WORKING_DIR)).toBe(false);
});

test("a file stays where it was for the next start", async () => {
	const folder = mkdtempSync(join(tmpdir(), "spanward-"));
	const config = readConfig({ SERVICE_SQL_DATABASE_URL: `sqlite:///${join(folder, "kept.db")}` });
	for (const description of [null, "kept"]) {
		await using storage = await openStorage(config, undefined);
		const found = await storage.db.read.selectFrom("projects").select("description").execute();
		expect(found).toEqual([{ description }]);
		await storage.db.write((transaction) => transaction.updateTable("projects").set({ description: "kept" }).execute());
	}
	rmSync(folder, { recursive: true });
});

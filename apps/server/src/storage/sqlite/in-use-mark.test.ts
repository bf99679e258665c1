import { copyFile, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { backUp } from "../copy/backup.ts";
import { putInPlace } from "../copy/put-in-place.ts";
import { openForReading } from "./connection.ts";
import { findMissingLog } from "./in-use-mark.ts";
import { openSqlite } from "./open-sqlite.ts";

async function openDatabase() {
	await using opened = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), "spanward-in-use-"));
	opened.defer(() => rm(folder, { recursive: true, force: true }));
	const told: string[] = [];
	const settings = {
		SERVICE_WORKING_DIR: folder,
		SERVICE_DATABASE_READERS: 2,
		SERVICE_ENABLE_TEXT_INDEX: true,
		SERVICE_PROJECT_NAME: "mine",
	};
	const storage = await openSqlite(settings, (sentence) => told.push(sentence));
	await storage.db.write((transaction) =>
		transaction.updateTable("projects").set({ description: "written last" }).execute(),
	);
	// A reader is another connection, which would keep the log from being emptied.
	await storage.db.read.selectFrom("projects").select("id").execute();
	const running = opened.move();
	return {
		folder,
		path: join(folder, "spanward.db"),
		told,
		storage,
		[Symbol.asyncDispose]: () => running.disposeAsync(),
	};
}

/** Copies only the database file, like somebody who does not know about its log. */
async function copyAlone(folder: string, path: string): Promise<string> {
	await mkdir(join(folder, "alone"));
	const copy = join(folder, "alone/spanward.db");
	await copyFile(path, copy);
	return copy;
}

function descriptionIn(path: string): unknown {
	using db = new DatabaseSync(path, { readOnly: true });
	return db.prepare("select description from projects").get()?.["description"];
}

it("after a stop the file alone has everything, and neither a log nor a process id is left", async () => {
	await using opened = await openDatabase();
	const { folder, path, storage, told } = opened;
	await storage[Symbol.asyncDispose]();
	expect((await readdir(folder)).sort()).toEqual(["spanward.db", "spanward.lock"]);
	const copy = await copyAlone(folder, path);
	expect(findMissingLog(copy)).toBeUndefined();
	expect(descriptionIn(copy)).toBe("written last");
	expect(told).toEqual([]);
});

it("recognizes a copy of the file alone that was made while in use, however often it was opened", async () => {
	await using opened = await openDatabase();
	const { folder, path, storage } = opened;
	await using _storage = storage;
	expect(findMissingLog(path)).toBeUndefined();
	const copy = await copyAlone(folder, path);
	const sentence = /its log is missing.*alone\/spanward\.db-wal/;
	expect(findMissingLog(copy)).toMatch(sentence);
	expect(descriptionIn(copy)).not.toBe("written last");
	expect(findMissingLog(copy)).toMatch(sentence);
	await copyFile(`${path}-wal`, `${copy}-wal`);
	expect(findMissingLog(copy)).toBeUndefined();
	expect(descriptionIn(copy)).toBe("written last");
});

it("finds no missing log at a backup, and at a file that was put aside with its log", async () => {
	await using opened = await openDatabase();
	const { folder, path, storage } = opened;
	await using _storage = storage;
	const backup = join(folder, "backup.db");
	await backUp(path, backup);
	expect(findMissingLog(backup)).toBeUndefined();
	const crashed = await copyAlone(folder, path);
	await copyFile(`${path}-wal`, `${crashed}-wal`);
	const aside = putInPlace(backup, crashed) ?? "";
	expect(findMissingLog(aside)).toBeUndefined();
	expect(descriptionIn(aside)).toBe("written last");
});

it("says that the log stays when another process reads the file during the stop", async () => {
	await using opened = await openDatabase();
	const { folder, path, storage, told } = opened;
	const reader = openForReading(path, 1);
	reader.exec("begin; select 1 from projects");
	await storage.db.write((transaction) => transaction.updateTable("projects").set({ description: "later" }).execute());
	await storage[Symbol.asyncDispose]();
	expect(told).toEqual([expect.stringContaining("spanward.db-wal")]);
	expect(findMissingLog(await copyAlone(folder, path))).toMatch(/log is missing/);
	reader.close();
	expect(descriptionIn(path)).toBe("later");
});

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { openSqlite } from "./open-sqlite.ts";
import { SqliteError } from "./worker-protocol.ts";

async function temporaryFolder() {
	const folder = await mkdtemp(join(tmpdir(), "spanward-open-"));
	return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

function settings(folder: string) {
	return {
		SERVICE_WORKING_DIR: folder,
		SERVICE_DATABASE_READERS: 2,
		SERVICE_ENABLE_TEXT_INDEX: true,
		SERVICE_PROJECT_NAME: "mine",
	};
}

it("creates the folder and the file for the owner alone, with the project of spans that name none", async () => {
	await using temporary = await temporaryFolder();
	const folder = join(temporary.folder, "deep", "er");
	await using storage = await openSqlite(settings(folder));
	expect((await stat(folder)).mode & 0o777).toBe(0o700);
	expect((await stat(join(folder, "spanward.db"))).mode & 0o777).toBe(0o600);
	expect(await storage.db.read.selectFrom("projects").select(["id", "name"]).execute()).toEqual([
		{ id: 1, name: "mine" },
	]);
});

it("keeps what was written when it is opened again", async () => {
	await using temporary = await temporaryFolder();
	const first = await openSqlite(settings(temporary.folder));
	await first.db.write((transaction) =>
		transaction.updateTable("projects").set({ description: "kept" }).where("id", "=", 1).execute(),
	);
	await first[Symbol.asyncDispose]();
	await using second = await openSqlite(settings(temporary.folder));
	const rows = await second.db.read.selectFrom("projects").select("description").execute();
	expect(rows).toEqual([{ description: "kept" }]);
});

it("refuses a second server on the same folder, in this process or another, until the first has ended", async () => {
	await using temporary = await temporaryFolder();
	const sentence = `another Spanward (process ${process.pid}) uses the folder ${temporary.folder}: stop it, or set SERVICE_WORKING_DIR to another folder`;
	const storage = await openSqlite(settings(temporary.folder));
	await expect(openSqlite(settings(temporary.folder))).rejects.toThrow(sentence);
	await expect(openInOtherProcess(temporary.folder)).rejects.toThrow(sentence);
	await storage[Symbol.asyncDispose]();
	expect(await openInOtherProcess(temporary.folder)).toBe("open");
});

/** Opens the folder in another process, which is then killed as with `kill -9`. */
async function openInOtherProcess(folder: string): Promise<string> {
	const code = `
		import { openSqlite } from ${JSON.stringify(new URL("./open-sqlite.ts", import.meta.url).href)};
		await openSqlite(${JSON.stringify(settings(folder))});
		process.stdout.write("open", () => process.kill(process.pid, "SIGKILL"));`;
	try {
		await promisify(execFile)(process.execPath, ["--input-type=module-typescript", "-e", code]);
		return "ended";
	} catch (error) {
		if (error instanceof Error && "signal" in error && error.signal === "SIGKILL" && "stdout" in error)
			return String(error.stdout);
		throw error instanceof Error && "stderr" in error ? new Error(String(error.stderr)) : error;
	}
}

it("opens again after the process was killed", async () => {
	await using temporary = await temporaryFolder();
	expect(await openInOtherProcess(temporary.folder)).toBe("open");
	await using storage = await openSqlite(settings(temporary.folder));
	expect(await storage.db.read.selectFrom("projects").select("id").execute()).toHaveLength(1);
});

it("refuses a file that a newer version wrote", async () => {
	await using temporary = await temporaryFolder();
	await (await openSqlite(settings(temporary.folder)))[Symbol.asyncDispose]();
	const db = new DatabaseSync(join(temporary.folder, "spanward.db"));
	db.exec("insert into schema_version (version, applied_at) values (900, 0)");
	db.close();
	await expect(openSqlite(settings(temporary.folder))).rejects.toThrow(/schema version 900.*start the newer Spanward/);
});

it.each([
	["no database", (file: Buffer) => Buffer.alloc(file.byteLength, "x")],
	["cut off", (file: Buffer) => file.subarray(0, 20_000)],
])("says what to do with a file that is %s, and leaves it as it is", async (_name, damage) => {
	await using temporary = await temporaryFolder();
	await (await openSqlite(settings(temporary.folder)))[Symbol.asyncDispose]();
	const path = join(temporary.folder, "spanward.db");
	const damaged = damage(await readFile(path));
	await writeFile(path, damaged);
	const opening = openSqlite(settings(temporary.folder));
	await expect(opening).rejects.toThrow(/spanward\.db is damaged or no database \(.+\): put a backup in its place/);
	expect(await readFile(path)).toEqual(damaged);
});

it("names the setting when the folder is a file, or the file a folder", async () => {
	await using temporary = await temporaryFolder();
	const file = join(temporary.folder, "file");
	await writeFile(file, "");
	for (const folder of [file, join(file, "below")])
		await expect(openSqlite(settings(folder))).rejects.toThrow(/cannot be written to .+ set SERVICE_WORKING_DIR/);
	await mkdir(join(temporary.folder, "spanward.db"));
	await expect(openSqlite(settings(temporary.folder))).rejects.toThrow(
		/cannot be written to .+ set SERVICE_WORKING_DIR/,
	);
});

it("a transaction that throws leaves nothing, and the next one works", async () => {
	await using temporary = await temporaryFolder();
	await using storage = await openSqlite(settings(temporary.folder));
	const row = { name: "second", created_at: 1, updated_at: 1, description: null };
	const failing = storage.db.write(async (transaction) => {
		await transaction.insertInto("projects").values(row).execute();
		throw new Error("changed my mind");
	});
	await expect(failing).rejects.toThrow("changed my mind");
	const writes = [row, { ...row, name: "third" }].map((values) =>
		storage.db.write((transaction) => transaction.insertInto("projects").values(values).returning("name").execute()),
	);
	expect((await Promise.all(writes)).flat()).toEqual([{ name: "second" }, { name: "third" }]);
	expect(await storage.db.read.selectFrom("projects").select("name").orderBy("id").execute()).toEqual([
		{ name: "mine" },
		{ name: "second" },
		{ name: "third" },
	]);
});

it("reports a unique constraint by its code, and lets no reader write", async () => {
	await using temporary = await temporaryFolder();
	await using storage = await openSqlite(settings(temporary.folder));
	const row = { name: "mine", created_at: 1, updated_at: 1, description: null };
	const twice = storage.db.write((transaction) => transaction.insertInto("projects").values(row).execute());
	const error = await twice.catch((caught: unknown) => caught);
	expect(error).toBeInstanceOf(SqliteError);
	expect(error).toMatchObject({ errcode: 2_067 });
	await expect(storage.db.read.insertInto("projects").values(row).execute()).rejects.toThrow("readonly");
});

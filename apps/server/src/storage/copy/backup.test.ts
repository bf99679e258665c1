import { mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { backUp } from "./backup.ts";

it("writes into no file of somebody else, and makes the backup readable for its owner only", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-backup-"));
	try {
		const path = join(folder, "spanward.db");
		const db = new DatabaseSync(path);
		db.exec("create table schema_version (version integer); insert into schema_version values (4)");
		db.close();
		const [victim, target] = [join(folder, "victim"), join(folder, "backup.db")];
		await writeFile(victim, "untouched", { mode: 0o644 });
		await symlink(victim, `${target}.unfinished`);
		expect(await backUp(path, target)).toMatchObject({ file: target, schemaVersion: 4 });
		expect(await readFile(victim, "utf8")).toBe("untouched");
		expect((await stat(victim)).mode & 0o777).toBe(0o644);
		expect((await stat(target)).mode & 0o777).toBe(0o600);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
});

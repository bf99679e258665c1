import { mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openSqliteTarget } from "./sqlite-side.ts";

it("writes a copy into no link that somebody else put there, and lets nobody else read it", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-target-"));
	await using _cleanUp = { [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
	const [path, victim] = [join(folder, "copy.db"), join(folder, "victim")];
	await writeFile(victim, "");
	await symlink(victim, `${path}.copying`);
	expect(() => openSqliteTarget(path)).toThrow("none of this user's unfinished copies");
	expect(await readFile(victim, "utf8")).toBe("");
	await rm(`${path}.copying`);
	await writeFile(`${path}.copying`, "", { mode: 0o644 });
	await using _target = openSqliteTarget(path);
	expect((await stat(`${path}.copying`)).mode & 0o777).toBe(0o600);
});

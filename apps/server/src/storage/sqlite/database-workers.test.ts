import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { DatabaseWorkers } from "./database-workers.ts";
import { createWriteLockMemory } from "./write-lock.ts";

const LONG =
	"with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 5000000) select count(*) from numbers";

it("keeps a thread free for short queries, however many long ones there are", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-workers-"));
	const path = join(folder, "test.db");
	new DatabaseSync(path).close();
	{
		await using workers = new DatabaseWorkers({
			path,
			mutex: createWriteLockMemory(),
			readers: 2,
			textIndex: false,
		});
		const answered: string[] = [];
		const long = () => workers.runLong((reader) => reader.call("query", LONG, [])).then(() => answered.push("long"));
		const short = () => workers.reader.call("query", "select 1", []).then(() => answered.push("short"));
		await Promise.all([short(), short()]);
		await Promise.all([long(), long(), long(), long(), short(), short(), short()]);
		expect(answered.slice(2)).toEqual(["short", "short", "short", "long", "long", "long", "long"]);
		await expect(workers.runLong((reader) => reader.call("query", "no sql", []))).rejects.toThrow("syntax");
		await long();
	}
	await rm(folder, { recursive: true });
});

import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

const SETTLED_AFTER_MS = 15_000;
const GIVE_UP_AFTER_MS = 20 * 60_000;

/** Bytes of all files of a folder. */
async function folderSize(folder: string): Promise<number> {
	let total = 0;
	for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
		if (entry.isFile()) total += (await stat(join(entry.parentPath, entry.name))).size;
	}
	return total;
}

/** The size of a folder once it has not changed for a while: what is done behind the commit is done. */
export async function settledFolderSize(folder: string): Promise<number> {
	const giveUp = Date.now() + GIVE_UP_AFTER_MS;
	let size = await folderSize(folder);
	let unchangedSince = Date.now();
	while (Date.now() - unchangedSince < SETTLED_AFTER_MS && Date.now() < giveUp) {
		await sleep(1_000);
		const now = await folderSize(folder);
		if (now !== size) unchangedSince = Date.now();
		size = now;
	}
	return size;
}

/** Bytes of the pages of a data folder's database that hold something, while no server has it open. */
export function databaseSize(folder: string): number {
	const db = new DatabaseSync(join(folder, "spanward.db"), { readOnly: true });
	try {
		const pragma = (name: string) => Number(Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0]);
		return (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
	} finally {
		db.close();
	}
}

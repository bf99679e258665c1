import { chmod, open } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { CommandFailure, EXIT } from "./failure.ts";

const RETRY_MS = 25;
/** Longer than anything that is done under it. */
const GIVE_UP_MS = 30_000;
/** https://sqlite.org/rescode.html */
const BUSY = 5;

/**
 * Runs `work` while no other process runs what it has given for the same file. The lock is one of the operating system, as
 * SQLite takes it on each platform: it ends with the process that holds it, however that ends.
 * @param path a file of the lock's own, which stays empty
 * @throws CommandFailure when somebody else holds it for too long
 */
export async function withLock<Result>(
	path: string,
	signal: AbortSignal | undefined,
	work: () => Promise<Result>,
): Promise<Result> {
	await makePrivate(path);
	const { DatabaseSync } = await import("node:sqlite");
	const database = new DatabaseSync(path, { timeout: 0 });
	try {
		const until = performance.now() + GIVE_UP_MS;
		while (!tryToLock(database)) {
			if (performance.now() > until)
				throw new CommandFailure(EXIT.condition, `Another spanward holds ${path}: end it, and try again.`);
			await sleep(RETRY_MS, undefined, signal && { signal });
		}
		return await work();
	} finally {
		database.close();
	}
}

/** Others could hold a lock on what they may open. */
async function makePrivate(path: string): Promise<void> {
	await (await open(path, "a", 0o600)).close();
	await chmod(path, 0o600);
}

function tryToLock(database: { exec(sql: string): void }): boolean {
	try {
		database.exec("pragma journal_mode = memory; begin exclusive");
		return true;
	} catch (error) {
		if (error instanceof Error && "errcode" in error && error.errcode === BUSY) return false;
		throw error;
	}
}

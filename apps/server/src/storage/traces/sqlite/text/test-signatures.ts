import type { DatabaseSync } from "node:sqlite";
import { openForWriting } from "#storage/sqlite/connection.ts";
import { WriteLock } from "#storage/sqlite/write-lock.ts";
import type { SqliteUnderTest } from "../test-store.ts";
import { SignatureGrouper } from "./group-signatures.ts";

/** Turns signatures around by eight, as long as there are so many of a size. @returns how many groups there are */
export function groupSignatures(store: SqliteUnderTest): number {
	return withWriter(store, (db, write) => {
		const grouper = new SignatureGrouper(db, 8);
		while (grouper.turn() || grouper.prepare()) if (grouper.prepare()) write(() => grouper.write());
		return Number(db.prepare("select count(*) as count from block_text_groups").get()?.["count"]);
	});
}

/** Deletes the groups that have to go. */
export function dropDeadGroups(store: SqliteUnderTest): void {
	withWriter(store, (db, write) => {
		const grouper = new SignatureGrouper(db, 8);
		for (let group = grouper.checkNext(); group !== undefined; group = grouper.checkNext()) {
			const dead = group;
			if (dead !== "kept") write(() => grouper.dropDead(dead));
		}
	});
}

/** A connection of its own, and a function that runs a transaction on it, beside the store's threads. */
export function withWriter<T>(
	{ storage }: SqliteUnderTest,
	work: (db: DatabaseSync, write: (change: () => void) => void) => T,
): T {
	const { path, mutex } = storage.writerOptions;
	const lock = new WriteLock(mutex, false);
	const db = openForWriting(path, 4);
	const write = (change: () => void) => {
		lock.acquire();
		try {
			db.exec("begin immediate");
			change();
			db.exec("commit");
		} finally {
			if (db.isTransaction) db.exec("rollback");
			lock.release();
		}
	};
	try {
		return work(db, write);
	} finally {
		db.close();
	}
}

import { statfs } from "node:fs/promises";
import { sql } from "kysely";
import { present } from "#base/present.ts";
import type { Database } from "../database.ts";
import { type PlaceState, SINGLE_NODE, type StorageNode, type TracePlace } from "../trace-place.ts";

/** The file of the working folder. */
export class SqlitePlace implements TracePlace {
	readonly kind = "sqlite";
	readonly #db: Database;
	readonly #folder: string;

	constructor(db: Database, folder: string) {
		this.#db = db;
		this.#folder = folder;
	}

	/** Pages that deletions have freed go back to the file system by and by. */
	async describe(): Promise<PlaceState> {
		const { rows } = await sql<{ bytes: number }>`
			select freelist_count * page_size as bytes from pragma_freelist_count, pragma_page_size`.execute(this.#db.read);
		const { bytes } = present(rows[0], "the free pages of the database");
		return { isReachable: true, isComplete: true, delaySeconds: 0, pendingDeleteBytes: bytes, insertIntervalMs: null };
	}

	async listNodes(): Promise<readonly StorageNode[]> {
		const query = sql<{ version: string }>`select sqlite_version() as version`;
		const [{ rows }, disk] = await Promise.all([query.execute(this.#db.read), statfs(this.#folder)]);
		return [
			{
				...SINGLE_NODE,
				host: "localhost",
				version: present(rows[0], "the version of SQLite").version,
				freeBytes: disk.bavail * disk.bsize,
				totalBytes: disk.blocks * disk.bsize,
			},
		];
	}
}

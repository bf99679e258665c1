import type { DatabaseSync } from "node:sqlite";
import type { SqliteReferences } from "#storage/references/sqlite-references.ts";
import { readStoredTexts } from "#storage/traces/span-meaning.ts";
import { WriteTransaction } from "../write/write-transaction.ts";

/** Transactions that change stored data. */
export class MutationTransaction extends WriteTransaction {
	/** Notified of changes to rows that others refer to. */
	readonly references: SqliteReferences;

	constructor(db: DatabaseSync, references: SqliteReferences) {
		super(db, readStoredTexts);
		this.references = references;
	}
}

import type { DatabaseSync } from "node:sqlite";
import { createSpans } from "./migrations/0001-spans.ts";
import { createAccessControl } from "./migrations/0002-access-control.ts";

/** Every change of the schema, in order. Append only: what a released version has run is never edited. */
const MIGRATIONS: readonly ((db: DatabaseSync) => void)[] = [createSpans, createAccessControl];

/**
 * Brings the schema up to date; each step runs once, in a transaction of its own.
 * @throws Error when the file was written by a newer version
 */
export function migrate(db: DatabaseSync): void {
	db.exec(
		"create table if not exists schema_version (version integer primary key, applied_at integer not null) strict",
	);
	const row = db.prepare("select coalesce(max(version), 0) as version from schema_version").get();
	const version = Number(row?.["version"]);
	if (version > MIGRATIONS.length)
		throw new Error(
			`the database has schema version ${version}, this Spanward knows versions up to ${MIGRATIONS.length}: ` +
				"start the newer Spanward that wrote it, or restore a backup made before the upgrade",
		);
	for (const [index, apply] of MIGRATIONS.entries()) {
		if (index < version) continue;
		db.exec("begin immediate");
		try {
			apply(db);
			db.prepare("insert into schema_version (version, applied_at) values (?, ?)").run(index + 1, Date.now() * 1_000);
			db.exec("commit");
		} catch (error) {
			if (db.isTransaction) db.exec("rollback");
			throw error;
		}
	}
}

import { DatabaseSync } from "node:sqlite";
import { SCHEMA_VERSION } from "../sqlite/migrations.ts";
import { getRow } from "../sqlite/rows.ts";
import { countRows, schemaVersionOf, whereTracesAre } from "./backup.ts";

export interface Described {
	readonly schemaVersion: number;
	/** Rows by table, for the tables that people know. */
	readonly rows: Readonly<Record<string, number>>;
	/** The highest row number that a span ever had. */
	readonly lastSpan: number;
	/** Present where traces are not in the file. */
	readonly tracesIn?: "clickhouse";
}

/**
 * What a database file holds.
 * @param readOnly false leaves no log beside a file that nobody else has open
 * @throws Error when the file cannot be read, is not Spanward's, or was written by a newer Spanward
 */
export function describeDatabase(path: string, readOnly: boolean): Described {
	const db = new DatabaseSync(path, { readOnly, timeout: 10_000 });
	try {
		const schemaVersion = schemaVersionOf(db);
		if (schemaVersion > SCHEMA_VERSION)
			throw new Error(
				`${path} has schema version ${schemaVersion}, this Spanward knows versions up to ${SCHEMA_VERSION}: use the newer Spanward that wrote it`,
			);
		const { next } = getRow<{ next: number }>(db.prepare("select next from row_numbers where name = 'spans'"));
		return { schemaVersion, rows: countRows(db), lastSpan: next - 1, ...whereTracesAre(db) };
	} finally {
		db.close();
	}
}

/** Rows by table that `later` has and `earlier` has not, as far as counts and row numbers show; none of traces elsewhere. */
export function whatIsNewer(later: Described, earlier: Described): Record<string, number> {
	const spans = later.tracesIn === undefined ? later.lastSpan - earlier.lastSpan : 0;
	const others = Object.entries(later.rows).map(
		([table, count]) => [table, count - (earlier.rows[table] ?? 0)] as const,
	);
	const all = [["spans", spans] as const, ...others.filter(([table]) => table !== "spans")];
	return Object.fromEntries(all.filter(([, count]) => count > 0));
}

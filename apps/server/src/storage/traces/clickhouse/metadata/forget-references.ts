import { sql } from "kysely";
import { present } from "#base/present.ts";
import type { Database } from "#storage/database.ts";
import { MetadataReferences } from "./references.ts";

/** Row numbers that are read at a time. */
const PAGE = 2_000;

/** What refers to traces. */
export interface CountedReferences {
	readonly annotations: number;
	/** Examples of datasets that were made of spans. */
	readonly examples: number;
}

export async function countReferences({ read }: Database): Promise<CountedReferences> {
	const { rows } = await sql<CountedReferences>`
		select (select count(*) from annotations) as annotations,
			(select count(*) from dataset_examples where span_row_id is not null) as examples`.execute(read);
	return present(rows[0], "counts of rows");
}

/** Columns that refer to traces, and the kind of what they refer to. */
const REFERENCES = [
	["annotations", "span_row_id", "spans"],
	["annotations", "trace_row_id", "traces"],
	["annotations", "session_row_id", "sessions"],
	["dataset_examples", "span_row_id", "spans"],
	["error_occurrences", "span_row_id", "spans"],
] as const;

/**
 * Deletes all annotations and occurrences of errors, and detaches all examples of datasets: no trace is left that they could be of. Annotations
 * that wait for what they are on stay. A batch at a time; after a kill it can be called again.
 */
export async function forgetReferences(db: Database): Promise<void> {
	const references = new MetadataReferences(db);
	for (const [table, column, kind] of REFERENCES)
		for (;;) {
			const { rows } = await sql<{ id: number }>`
				select distinct ${sql.ref(column)} as id from ${sql.table(table)}
				where ${sql.ref(column)} is not null limit ${PAGE}`.execute(db.read);
			if (rows.length === 0) break;
			await references.deleted({ spans: [], traces: [], sessions: [], [kind]: rows.map(({ id }) => id) });
		}
}

import type { DatabaseSync } from "node:sqlite";
import { getRow, listRows } from "#storage/sqlite/rows.ts";

/**
 * Row numbers of spans with these ids, in any project. Searches every sorted run, and the spans that are in none yet.
 */
export function findRowsBySpanIds(db: DatabaseSync, spanIds: readonly string[]): number[] {
	const ids = JSON.stringify(spanIds);
	const rows = listRows<{ id: number }>(
		db.prepare(
			`select spans.id as id from span_lookup_runs as runs cross join json_each(?) as wanted
				cross join span_lookup as lookup on lookup.run = runs.run and lookup.span_id = unhex(wanted.value)
				cross join spans on spans.id = lookup.span
			union
			select id from spans where id > ? and span_id in (select unhex(value) from json_each(?))`,
		),
		ids,
		lastLookedUp(db),
		ids,
	);
	return rows.map(({ id }) => id);
}

/** The highest span row number that a run covers. */
export function lastLookedUp(db: DatabaseSync): number {
	const statement = db.prepare("select coalesce(max(last_span), 0) as last from span_lookup_runs");
	return getRow<{ last: number }>(statement).last;
}

import type { DatabaseSync } from "node:sqlite";
import { getRow, listRows } from "#storage/sqlite/rows.ts";
import type { Sql } from "#storage/traces/filter/sql.ts";
import type { NumberRange } from "./ordered-scan.ts";

/**
 * Zones: stretches of row numbers of spans with the largest value of some columns, so that a filter for large values
 * reads only the rows of zones that have one. A row of `span_zones` may be larger than what is left in its zone, never
 * smaller: row numbers are not used again, and only spans that run change these columns, whose zone has the largest values.
 * Source: Moerkotte, "Small Materialized Aggregates: A Light Weight Index Structure for Data Warehousing", 1998.
 */

/** Row numbers in a zone. */
export const ZONE_SPANS = 128;

/** The zone after the last one that is known. */
export function nextZone(db: DatabaseSync): number {
	return getRow<{ next: number }>(db.prepare("select coalesce(max(zone) + 1, 0) as next from span_zones")).next;
}

/**
 * The row numbers within a range where spans may match, ascending and without overlaps; undefined when they are more
 * than `most`.
 * @param condition on a row of `span_zones`, true for each zone with a span that matches
 */
export function spansInZones(
	db: DatabaseSync,
	condition: Sql,
	{ first, last }: NumberRange,
	most: number,
): NumberRange[] | undefined {
	const unknown = nextZone(db) * ZONE_SPANS;
	const ranges: { first: number; last: number }[] = [];
	let spans = 0;
	const add = (from: number, to: number) => {
		const previous = ranges.at(-1);
		if (previous !== undefined && previous.last + 1 === from) previous.last = to;
		else ranges.push({ first: from, last: to });
		spans += to - from + 1;
	};
	const zones = listRows<{ zone: number }>(
		db.prepare(`select zone from span_zones where zone between ? and ? and (${condition.text}) order by zone limit ?`),
		Math.floor(first / ZONE_SPANS),
		Math.floor(last / ZONE_SPANS),
		...condition.values,
		Math.ceil(most / ZONE_SPANS) + 1,
	);
	for (const { zone } of zones)
		add(Math.max(first, zone * ZONE_SPANS), Math.min(last, zone * ZONE_SPANS + ZONE_SPANS - 1));
	if (last >= unknown) add(Math.max(first, unknown), last);
	return spans > most ? undefined : ranges;
}

import type { DatabaseSync } from "node:sqlite";
import { BEFORE_PLACE, beforePlace, expiryOf, IS_ANNOTATED, type TracePlace } from "#storage/traces/expiry/places.ts";
import { ANNOTATED_TRACES, endOfGoing, firstGoing, OLDEST_KEPT } from "#storage/traces/expiry/preview-sql.ts";
import { type TraceSummaryRow, toTraceSummary } from "#storage/traces/rows/trace-summaries.ts";
import type { RetentionPreview, RetentionRule } from "#storage/traces/trace-store.ts";

/** The place before which traces of the project are expired; undefined when none is. */
export function findExpiry(db: DatabaseSync, rule: RetentionRule): TracePlace | undefined {
	const { projectId, keepNewest } = rule;
	if (keepNewest === undefined) return expiryOf(rule, undefined);
	const row = db.prepare(OLDEST_KEPT).get(projectId, keepNewest - 1);
	if (row === undefined) return expiryOf(rule, undefined);
	return expiryOf(rule, [Number(row["start_micros"]), Number(row["duration"]), Number(row["id"])]);
}

export function previewRetention(db: DatabaseSync, rule: RetentionRule): RetentionPreview {
	const { projectId, keepAnnotated } = rule;
	const total = Number(
		db.prepare("select count(*) as number from traces where project_id = ?").get(projectId)?.["number"],
	);
	const expiry = findExpiry(db, rule);
	if (expiry === undefined) {
		return { total, expired: 0, kept: 0, oldestMicros: null, newestMicros: null, first: [] };
	}
	const expired = `project_id = ? and ${BEFORE_PLACE}`;
	const values = [projectId, ...beforePlace(expiry)];
	const all = Number(db.prepare(`select count(*) as number from traces where ${expired}`).get(...values)?.["number"]);
	const kept = keepAnnotated ? countAnnotated(db, expired, values) : 0;
	const going = keepAnnotated ? `${expired} and not ${IS_ANNOTATED}` : expired;
	const end = (order: "asc" | "desc") => db.prepare(endOfGoing(going, order)).get(...values);
	const first = db.prepare(firstGoing(going)).all(...values) as unknown as TraceSummaryRow[];
	return {
		total,
		expired: all - kept,
		kept,
		oldestMicros: toMicros(end("asc")),
		newestMicros: toMicros(end("desc")),
		first: first.map(toTraceSummary),
	};
}

/** Looks at annotations, of which there are fewer than traces. */
function countAnnotated(db: DatabaseSync, expired: string, values: readonly number[]): number {
	const row = db
		.prepare(`select count(*) as number from traces where ${expired} and id in (${ANNOTATED_TRACES})`)
		.get(...values);
	return Number(row?.["number"]);
}

function toMicros(row: Record<string, unknown> | undefined): number | null {
	return row === undefined ? null : Number(row["start_micros"]);
}

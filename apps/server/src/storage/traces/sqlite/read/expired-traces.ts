import type { DatabaseSync } from "node:sqlite";
import {
	BEFORE_PLACE,
	beforePlace,
	expiryOf,
	IS_ANNOTATED,
	TRACE_PLACE,
	type TracePlace,
} from "../../expiry/places.ts";
import {
	TRACE_SUMMARY_COLUMNS,
	TRACE_SUMMARY_JOINS,
	type TraceSummaryRow,
	toTraceSummary,
} from "../../rows/trace-summaries.ts";
import type { RetentionPreview, RetentionRule } from "../../trace-store.ts";

/** How many of the traces that would go are named. */
const NAMED = 10;

/** The place before which traces of the project are expired; undefined when none is. */
export function findExpiry(db: DatabaseSync, rule: RetentionRule): TracePlace | undefined {
	const { projectId, keepNewest } = rule;
	if (keepNewest === undefined) return expiryOf(rule, undefined);
	const row = db
		.prepare(
			`select start_micros, end_micros - start_micros as duration, id from traces where project_id = ?
			order by start_micros desc, end_micros - start_micros desc, id desc limit 1 offset ?`,
		)
		.get(projectId, keepNewest - 1);
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
	const end = (order: "asc" | "desc") =>
		db.prepare(`select start_micros from traces where ${going} order by start_micros ${order} limit 1`).get(...values);
	const first = db
		.prepare(
			`select ${TRACE_SUMMARY_COLUMNS} from (select * from traces where ${going} order by ${TRACE_PLACE} limit ${NAMED}) as traces
			${TRACE_SUMMARY_JOINS} order by traces.start_micros, traces.end_micros - traces.start_micros, traces.id`,
		)
		.all(...values) as unknown as TraceSummaryRow[];
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
		.prepare(
			`select count(*) as number from traces where ${expired} and id in (
				select trace_row_id from annotations where trace_row_id is not null
				union
				select traces.id from annotations join traces on traces.session_row_id = annotations.session_row_id
				where annotations.session_row_id is not null and annotations.target = 'session')`,
		)
		.get(...values);
	return Number(row?.["number"]);
}

function toMicros(row: Record<string, unknown> | undefined): number | null {
	return row === undefined ? null : Number(row["start_micros"]);
}

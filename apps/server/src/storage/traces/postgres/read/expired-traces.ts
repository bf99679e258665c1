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
import { type Queryable, query } from "./query.ts";

/** How many of the traces that would go are named. */
const NAMED = 10;

/** The place before which traces of the project are expired; undefined when none is. */
export async function findExpiry(client: Queryable, rule: RetentionRule): Promise<TracePlace | undefined> {
	if (rule.keepNewest === undefined) return expiryOf(rule, undefined);
	const [row] = await query<{ start_micros: number; duration: number; id: number }>(
		client,
		`select start_micros, end_micros - start_micros as duration, id from traces where project_id = ?
		order by start_micros desc, end_micros - start_micros desc, id desc limit 1 offset ?`,
		[rule.projectId, rule.keepNewest - 1],
	);
	return expiryOf(rule, row === undefined ? undefined : [row.start_micros, row.duration, row.id]);
}

export async function previewRetention(client: Queryable, rule: RetentionRule): Promise<RetentionPreview> {
	const { projectId, keepAnnotated } = rule;
	const total = await count(client, "project_id = ?", [projectId]);
	const expiry = await findExpiry(client, rule);
	if (expiry === undefined) {
		return { total, expired: 0, kept: 0, oldestMicros: null, newestMicros: null, first: [] };
	}
	const expired = `project_id = ? and ${BEFORE_PLACE}`;
	const values = [projectId, ...beforePlace(expiry)];
	const all = await count(client, expired, values);
	const kept = keepAnnotated ? await count(client, `${expired} and id in (${ANNOTATED})`, values) : 0;
	const going = keepAnnotated ? `${expired} and not ${IS_ANNOTATED}` : expired;
	const end = async (order: "asc" | "desc") => {
		const [row] = await query<{ start_micros: number }>(
			client,
			`select start_micros from traces where ${going} order by start_micros ${order} limit 1`,
			values,
		);
		return row?.start_micros ?? null;
	};
	const first = await query<TraceSummaryRow>(
		client,
		`select ${TRACE_SUMMARY_COLUMNS} from (select * from traces where ${going} order by ${TRACE_PLACE} limit ${NAMED}) as traces
		${TRACE_SUMMARY_JOINS} order by traces.start_micros, traces.end_micros - traces.start_micros, traces.id`,
		values,
	);
	return {
		total,
		expired: all - kept,
		kept,
		oldestMicros: await end("asc"),
		newestMicros: await end("desc"),
		first: first.map(toTraceSummary),
	};
}

/** Looks at annotations, of which there are fewer than traces. */
const ANNOTATED = `
	select trace_row_id from annotations where trace_row_id is not null
	union
	select traces.id from annotations join traces on traces.session_row_id = annotations.session_row_id
	where annotations.session_row_id is not null and annotations.target = 'session'`;

async function count(client: Queryable, where: string, values: readonly number[]): Promise<number> {
	const [row] = await query<{ number: number }>(client, `select count(*) as number from traces where ${where}`, values);
	return Number(row?.number);
}

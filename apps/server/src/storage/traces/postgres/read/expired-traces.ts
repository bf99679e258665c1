import { present } from "#base/present.ts";
import { ANNOTATED_TRACES, TRACE_IS_ANNOTATED } from "#storage/traces/annotated.ts";
import {
	BEFORE_CURSOR,
	beforeCursorParams,
	expiryOf,
	type TraceCursor,
} from "#storage/traces/expiry/expired-traces.ts";
import { expiredEndSql, firstExpiredSql, OLDEST_KEPT } from "#storage/traces/expiry/preview-sql.ts";
import { type TraceSummaryRow, toTraceSummary } from "#storage/traces/rows/trace-summaries.ts";
import type { RetentionPreview, RetentionRule } from "#storage/traces/trace-store.ts";
import { type Queryable, query } from "./query.ts";
import type { ShownTextsReader } from "./shown-texts.ts";

/** The cursor before which traces of the project are expired; undefined when none is. */
export async function findExpiry(client: Queryable, rule: RetentionRule): Promise<TraceCursor | undefined> {
	if (rule.keepNewest === undefined) return expiryOf(rule, undefined);
	const [row] = await query<{ start_micros: number; duration: number; id: number }>(client, OLDEST_KEPT, [
		rule.projectId,
		rule.keepNewest - 1,
	]);
	return expiryOf(rule, row === undefined ? undefined : [row.start_micros, row.duration, row.id]);
}

export async function previewRetention(
	client: Queryable,
	rule: RetentionRule,
	reader: ShownTextsReader,
): Promise<RetentionPreview> {
	const { projectId, keepAnnotated } = rule;
	const total = await count(client, "project_id = ?", [projectId]);
	const expiry = await findExpiry(client, rule);
	if (expiry === undefined) {
		return { total, expired: 0, kept: 0, oldestMicros: null, newestMicros: null, first: [] };
	}
	const expired = `project_id = ? and ${BEFORE_CURSOR}`;
	const values = [projectId, ...beforeCursorParams(expiry)];
	const all = await count(client, expired, values);
	const kept = keepAnnotated ? await count(client, `${expired} and id in (${ANNOTATED_TRACES})`, values) : 0;
	const going = keepAnnotated ? `${expired} and not ${TRACE_IS_ANNOTATED}` : expired;
	const end = async (order: "asc" | "desc") => {
		const [row] = await query<{ start_micros: number }>(client, expiredEndSql(going, order), values);
		return row?.start_micros ?? null;
	};
	const first = await query<TraceSummaryRow>(client, firstExpiredSql(going), values);
	const texts = await reader.read(client, first);
	return {
		total,
		expired: all - kept,
		kept,
		oldestMicros: await end("asc"),
		newestMicros: await end("desc"),
		first: first.map((row) => toTraceSummary(row, texts)),
	};
}

/** Starts from the annotations, as there are fewer of them than traces. */
async function count(client: Queryable, where: string, values: readonly number[]): Promise<number> {
	const [row] = await query<{ number: number }>(client, `select count(*) as number from traces where ${where}`, values);
	return present(row, "the count of traces").number;
}

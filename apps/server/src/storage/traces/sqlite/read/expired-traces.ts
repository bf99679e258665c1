import type { DatabaseSync } from "node:sqlite";
import { findRow, getRow, listRows } from "#storage/sqlite/rows.ts";
import { ANNOTATED_TRACES, TRACE_IS_ANNOTATED } from "#storage/traces/annotated.ts";
import type { ReadShownTexts } from "#storage/traces/content/shown-texts.ts";
import {
	BEFORE_CURSOR,
	beforeCursorParams,
	expiryOf,
	type TraceCursor,
} from "#storage/traces/expiry/expired-traces.ts";
import { expiredEndSql, firstExpiredSql, OLDEST_KEPT } from "#storage/traces/expiry/preview-sql.ts";
import { type TraceSummaryRow, toTraceSummary } from "#storage/traces/rows/trace-summaries.ts";
import type { RetentionPreview, RetentionRule } from "#storage/traces/trace-store.ts";

/** The cursor before which traces of the project are expired; undefined when none is. */
export function findExpiry(db: DatabaseSync, rule: RetentionRule): TraceCursor | undefined {
	const { projectId, keepNewest } = rule;
	if (keepNewest === undefined) return expiryOf(rule, undefined);
	const row = findRow<{ start_micros: number; duration: number; id: number }>(
		db.prepare(OLDEST_KEPT),
		projectId,
		keepNewest - 1,
	);
	return expiryOf(rule, row === undefined ? undefined : [row.start_micros, row.duration, row.id]);
}

export function previewRetention(db: DatabaseSync, rule: RetentionRule, textsOf: ReadShownTexts): RetentionPreview {
	const { projectId, keepAnnotated } = rule;
	const total = count(db, "project_id = ?", [projectId]);
	const expiry = findExpiry(db, rule);
	if (expiry === undefined) {
		return { total, expired: 0, kept: 0, oldestMicros: null, newestMicros: null, first: [] };
	}
	const expired = `project_id = ? and ${BEFORE_CURSOR}`;
	const values = [projectId, ...beforeCursorParams(expiry)];
	const all = count(db, expired, values);
	// Starts from the annotations, as there are fewer of them than traces.
	const kept = keepAnnotated ? count(db, `${expired} and id in (${ANNOTATED_TRACES})`, values) : 0;
	const going = keepAnnotated ? `${expired} and not ${TRACE_IS_ANNOTATED}` : expired;
	const end = (order: "asc" | "desc") =>
		findRow<{ start_micros: number }>(db.prepare(expiredEndSql(going, order)), ...values)?.start_micros ?? null;
	const first = listRows<TraceSummaryRow>(db.prepare(firstExpiredSql(going)), ...values);
	const texts = textsOf(first);
	return {
		total,
		expired: all - kept,
		kept,
		oldestMicros: end("asc"),
		newestMicros: end("desc"),
		first: first.map((row) => toTraceSummary(row, texts)),
	};
}

function count(db: DatabaseSync, where: string, values: readonly number[]): number {
	const statement = db.prepare(`select count(*) as number from traces where ${where}`);
	return getRow<{ number: number }>(statement, ...values).number;
}

import type { SQLInputValue } from "node:sqlite";
import type { Kysely } from "kysely";
import { z } from "zod";
import type { Tables } from "#storage/schema.ts";
import type { Conditions } from "../filter/conditions.ts";
import type { Keyset } from "../trace-store.ts";
import type { AnalyticsQuery, Range } from "./analytics-query.ts";

/** A span that failed by itself. */
export interface OccurrenceRow {
	readonly id: number;
	readonly span_row_id: number;
	/** Of the span. */
	readonly start_micros: number;
	readonly group_id: number;
	/** The fingerprint by which its group is called. */
	readonly error_group: string;
	readonly error_kind: string;
	readonly tool: string | null;
}

/** Occurrences of errors of a store, which may be in another database than traces. */
export interface OccurrenceReader {
	/** At most so many of a project that start in the range, the newest first. @param before the last one of the page before */
	list(
		projectId: number,
		range: Range,
		page: { readonly limit: number; readonly before?: Keyset },
	): Promise<readonly OccurrenceRow[]>;
	/** The fingerprints by which the groups of these spans are called, by row number of those that failed. */
	groupsOf(spanRowIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
	/** As {@link backfilledFrom}. */
	notedFrom(): Promise<number | undefined>;
	/** Whether traces of these projects are still to be looked at that have spans in the range. */
	isBehind(projectIds: readonly number[], range: Range): Promise<boolean>;
}

export type FailedSpan = Pick<OccurrenceRow, "span_row_id" | "error_group">;

export function bySpan(found: readonly FailedSpan[]): ReadonlyMap<number, string> {
	return new Map(found.map(({ span_row_id: id, error_group: group }) => [id, group]));
}

/**
 * Whether failures are asked about that are still to be noted, so that the answer to a question about errors or groups of
 * them is incomplete.
 */
export async function lacksFailures(query: AnalyticsQuery, occurrences: OccurrenceReader): Promise<boolean> {
	const groups = query.groupBy.some((by) => by.type === "field" && by.name === "error_group");
	if (query.of !== "errors" && !groups) return false;
	const range = wholeRange(query);
	// A question about errors itself ends where they are not noted.
	if (query.of !== "errors" && ((await occurrences.notedFrom()) ?? 0) > range.startMicros) return true;
	return await occurrences.isBehind(query.projectIds, range);
}

/** The row of `state` that is there until the failures of an older version are noted. */
export const BACKFILL_STATE = "error_backfill";

const Backfill = z.object({ before: z.number() });

function readBackfill(row: { readonly value: string } | undefined): number | undefined {
	return row && Backfill.parse(JSON.parse(row.value)).before;
}

/**
 * While failures of an older version are being noted: since when all are, microseconds since 1970; undefined afterwards.
 */
export async function backfilledFrom(db: Kysely<Tables>): Promise<number | undefined> {
	return readBackfill(
		await db.selectFrom("state").select("value").where("name", "=", BACKFILL_STATE).executeTakeFirst(),
	);
}

/** Of SQLite and PostgreSQL, where occurrences are in the same database. */
export function sqlOccurrenceReader<Extra>(
	conditions: () => Conditions<Extra>,
	select: <Row>(sql: string, values: readonly (SQLInputValue | Extra)[]) => Promise<Row[]>,
): OccurrenceReader {
	return {
		list: async (projectId, range, { limit, before }) => {
			const where = conditions().add("failed.project_id = ?", projectId).addTimeRange("failed.start_micros", range);
			if (before !== undefined)
				where
					.add("failed.start_micros <= ?", before.value)
					.add("failed.start_micros < ? or failed.id < ?", before.value, before.id);
			return await select(
				`select failed.id, failed.span_row_id, failed.start_micros, failed.group_id,
					own.fingerprint as error_group, failed.kind as error_kind, failed.tool
				from error_occurrences as failed join error_groups as own on own.id = failed.group_id
				where ${where.sql}
				order by failed.start_micros desc, failed.id desc
				limit ${limit}`,
				where.values,
			);
		},
		groupsOf: async (spanRowIds) => {
			const where = conditions().addIn("failed.span_row_id", spanRowIds);
			const found = await select<FailedSpan>(
				`select failed.span_row_id, own.fingerprint as error_group
				from error_occurrences as failed join error_groups as own on own.id = failed.group_id
				where ${where.sql}`,
				where.values,
			);
			return bySpan(found);
		},
		notedFrom: async () => {
			const where = conditions().add("name = ?", BACKFILL_STATE);
			const [row] = await select<{ value: string }>(`select value from state where ${where.sql}`, where.values);
			return readBackfill(row);
		},
		isBehind: async (projectIds, { startMicros, endMicros }) => {
			const where = conditions()
				.addIn("traces.project_id", projectIds)
				.add("traces.start_micros < ?", endMicros)
				.add("traces.end_micros >= ?", startMicros);
			const found = await select(
				`select 1 from error_backlog join traces on traces.id = error_backlog.trace_row_id where ${where.sql} limit 1`,
				where.values,
			);
			return found.length > 0;
		},
	};
}

/** The time that a question is about, with that before it. */
function wholeRange({ edges, previousEdges = [] }: Pick<AnalyticsQuery, "edges" | "previousEdges">): Range {
	const all = [...edges, ...previousEdges];
	return { startMicros: Math.min(...all), endMicros: Math.max(...all) };
}

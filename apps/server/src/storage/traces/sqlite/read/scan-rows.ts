import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import type { Condition, Literal, Value } from "@spanward/filter-language";
import { findRow } from "#storage/sqlite/rows.ts";
import type { Range } from "#storage/traces/analytics/analytics-query.ts";
import type { AskedPage } from "#storage/traces/analytics/analyze-lists.ts";
import type { AnalyticsPlan } from "#storage/traces/analytics/plan.ts";
import { columnsOf } from "#storage/traces/analytics/row-columns.ts";
import { Conditions } from "#storage/traces/filter/conditions.ts";
import { NOT_DETACHED } from "#storage/traces/rows/trace-summaries.ts";
import type { FilterPlan } from "../filter/plan.ts";
import { attributeFiller, CONTENT_COLUMNS } from "./fill-attributes.ts";
import type { RowFeed } from "./row-feed.ts";
import type { SpanContents } from "./span-contents.ts";

interface RowSources {
	readonly db: DatabaseSync;
	readonly feed: RowFeed;
	readonly contents: SpanContents;
}

/** Rows of a window of time, of which some may not fit; more where they start together. */
const ROWS_AT_ONCE = 16_384;
/** The same where content is read. */
const ROWS_WITH_CONTENT = 2_048;

/**
 * The rows of a question from their table alone, without what only content or other rows tell: many times as fast as
 * by lists, which read all columns. Undefined where a question needs more.
 */
export function scanRows(
	{ db, feed, contents }: RowSources,
	plan: AnalyticsPlan,
	filter: FilterPlan | undefined,
	projectId: number,
	range: Range,
): AsyncGenerator<AskedPage> | undefined {
	const columns = columnsOf(plan);
	if (columns === undefined || plan.query.text !== undefined) return undefined;
	if (filter !== undefined && (filter.slow.length > 0 || filter.rows !== undefined)) return undefined;
	const { table } = columns;
	const fill = plan.needsContent ? attributeFiller(db, contents, plan) : undefined;
	const read = fill === undefined ? columns.columns : [...columns.columns, ...CONTENT_COLUMNS];
	const users = table === "traces" ? usersOf(plan.query.condition) : undefined;
	const page = (window: Range): AskedPage => {
		const where = new Conditions()
			.add(`${table}.project_id = ?`, projectId)
			.addTimeRange(`${table}.start_micros`, window);
		if (table === "traces") where.add(NOT_DETACHED);
		if (plan.query.lastRow !== undefined) where.add(`${table}.id <= ?`, plan.query.lastRow);
		if (filter !== undefined) where.addAll(filter.quick);
		if (users !== undefined) where.addIn("traces.user_id", users);
		const index = users === undefined ? `${table}_by_start` : "traces_by_user";
		const from = `from ${table} indexed by ${index} where ${where.sql}`;
		const values = where.values as readonly SQLInputValue[];
		return {
			rows: [],
			raw: (add) =>
				feed.read(read, from, values, (row) => {
					fill?.(row);
					add(row);
				}),
			reachedMicros: window.startMicros,
		};
	};
	const rows = plan.needsContent ? ROWS_WITH_CONTENT : ROWS_AT_ONCE;
	return windows(db, { table, projectId, rows }, range, page);
}

/** The users whose traces alone a condition selects; undefined where it may select others. */
function usersOf(condition: Condition | undefined): readonly string[] | undefined {
	if (condition?.type === "and") return condition.conditions.map(usersOf).find((users) => users !== undefined);
	if (condition?.type === "in" && isUser(condition.value)) return textsOf(condition.list);
	if (condition?.type !== "compare" || condition.operator !== "==") return undefined;
	const { left, right } = condition;
	if (isUser(left) && right.type === "literal") return textsOf([right]);
	return isUser(right) && left.type === "literal" ? textsOf([left]) : undefined;
}

function isUser(value: Value): boolean {
	return value.type === "field" && value.row === 0 && !value.ofParent && value.name === "user_id";
}

function textsOf(literals: readonly Literal[]): string[] {
	return literals.map(({ value }) => String(value));
}

/** Windows of the range, the newest first. */
async function* windows(
	db: DatabaseSync,
	{ table, projectId, rows }: { readonly table: "spans" | "traces"; readonly projectId: number; readonly rows: number },
	{ startMicros, endMicros }: Range,
	page: (window: Range) => AskedPage,
): AsyncGenerator<AskedPage> {
	const findStart = db.prepare(
		`select start_micros as start from ${table} indexed by ${table}_by_start
		where project_id = ? and start_micros >= ? and start_micros < ?
		order by start_micros desc limit 1 offset ${rows}`,
	);
	for (let end = endMicros; end > startMicros; ) {
		const start = findRow<{ start: number }>(findStart, projectId, startMicros, end)?.start ?? startMicros;
		yield page({ startMicros: start, endMicros: end });
		end = start;
	}
}

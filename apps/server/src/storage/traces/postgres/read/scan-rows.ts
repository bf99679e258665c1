import { setImmediate as untilOthersRan } from "node:timers/promises";
import type pg from "pg";
import { chunksOf } from "#base/chunks.ts";
import type { Range } from "#storage/traces/analytics/analytics-query.ts";
import type { AskedPage } from "#storage/traces/analytics/analyze-lists.ts";
import type { AnalyticsPlan } from "#storage/traces/analytics/plan.ts";
import { columnsOf, type RowColumns } from "#storage/traces/analytics/row-columns.ts";
import { NOT_DETACHED } from "#storage/traces/rows/trace-summaries.ts";
import type { FilterPlan } from "../filter/plan.ts";
import { attributeFiller, CONTENT_COLUMNS } from "./fill-attributes.ts";
import { PostgresConditions } from "./postgres-conditions.ts";
import { queryArrays } from "./query.ts";

/** Many enough that a statement costs little. */
const ROWS_AT_ONCE = 8_192;
/** The same where content is read. */
const ROWS_WITH_CONTENT = 2_048;
/** Added up before others are answered, whose every statement waits for it: about a millisecond. */
const ROWS_A_TURN = 512;

/**
 * The rows of a question from their table alone, without what only other rows tell: several times as fast as by lists,
 * which read all columns. Undefined where a question needs more.
 */
export function scanRows(
	client: pg.ClientBase,
	plan: AnalyticsPlan,
	filter: FilterPlan | undefined,
	projectId: number,
	range: Range,
): AsyncGenerator<AskedPage> | undefined {
	const columns = columnsOf(plan);
	if (columns === undefined || plan.query.text !== undefined) return undefined;
	if (filter !== undefined && (filter.slow !== undefined || filter.rows !== undefined)) return undefined;
	return pages(client, plan, columns, filter, projectId, range);
}

async function* pages(
	client: pg.ClientBase,
	plan: AnalyticsPlan,
	{ table, columns }: RowColumns,
	filter: FilterPlan | undefined,
	projectId: number,
	range: Range,
): AsyncGenerator<AskedPage> {
	const [start, id] = [`${table}.start_micros`, `${table}.id`];
	const fill = plan.needsContent ? attributeFiller(client, plan, projectId) : undefined;
	const read = fill === undefined ? [...columns, id] : [...columns, ...CONTENT_COLUMNS];
	const limit = fill === undefined ? ROWS_AT_ONCE : ROWS_WITH_CONTENT;
	const page = (before?: { readonly micros: number; readonly id: number }): Promise<unknown[][]> => {
		const where = new PostgresConditions().add(`${table}.project_id = ?`, projectId).addTimeRange(start, range);
		if (table === "traces") where.add(NOT_DETACHED);
		if (plan.query.lastRow !== undefined) where.add(`${id} <= ?`, plan.query.lastRow);
		if (before !== undefined)
			where.add(`${start} <= ?`, before.micros).add(`(${start}, ${id}) < (?, ?)`, before.micros, before.id);
		if (filter !== undefined) where.addAll(filter.quick);
		const rows = queryArrays(
			client,
			`select ${read.join(", ")} from ${table}
			where ${where.sql} order by ${start} desc, ${id} desc limit ${limit}`,
			where.values,
		);
		// It may fail before it is awaited, which then throws.
		rows.catch(() => undefined);
		return rows;
	};
	let next: Promise<unknown[][]> | undefined = page();
	try {
		while (next !== undefined) {
			const found: readonly unknown[][] = await next;
			const last = found.at(-1);
			const before =
				last === undefined || found.length < limit
					? undefined
					: { micros: last[0] as number, id: last.at(-1) as number };
			// The database reads the next rows while these are added up.
			next = before === undefined ? undefined : page(before);
			await fill?.(found);
			const reachedMicros = before === undefined ? range.startMicros : Math.max(range.startMicros, before.micros + 1);
			for (const turn of chunksOf(found, ROWS_A_TURN)) {
				// Others may start in the same microsecond.
				const reached = Math.max(reachedMicros, (turn.at(-1)?.[0] as number) + 1);
				yield { rows: [], raw: (add) => turn.forEach(add), reachedMicros: reached };
				await untilOthersRan();
			}
			yield { rows: [], reachedMicros };
		}
	} finally {
		// Nobody wants it when the question ended early, and the connection is free after it only.
		await Promise.allSettled([next]);
	}
}

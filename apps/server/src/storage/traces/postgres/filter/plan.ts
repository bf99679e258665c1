import type { Condition, FilterTarget } from "@spanward/filter-language";
import type { ClientBase } from "pg";
import { compileCondition } from "#storage/traces/filter/compile.ts";
import { partsByEffort, QUICK } from "#storage/traces/filter/effort.ts";
import { PostgresConditions } from "../read/postgres-conditions.ts";
import { postgresDialect } from "./dialect.ts";
import { lowerCollation } from "./lower-collation.ts";
import { narrow } from "./narrow.ts";
import { Questions } from "./questions.ts";
import { SlowCondition } from "./slow-condition.ts";

/**
 * A row of a list: a span, trace or session with its row number. Rows of `spans` are not read again for their content.
 */
export interface CandidateRow {
	readonly id: number;
}

/** How a list finds the rows that a condition selects. */
export interface FilterPlan {
	/** Conjunction of conditions on the row itself. Placeholders are `?`. */
	readonly quick: PostgresConditions;
	/** Row numbers; no other row can match. */
	readonly rows?: readonly number[];
	/**
	 * Which of these rows, a chunk of the list, fulfil the conditions that need other rows or content.
	 * @throws ConditionTooSlow when the time limit is exceeded
	 */
	readonly slow?: (rows: readonly CandidateRow[]) => Promise<ReadonlySet<number>>;
}

/** @param client in the transaction that reads the list */
export async function planFilter(
	client: ClientBase,
	query: { readonly projectId: number; readonly condition?: Condition },
	target: FilterTarget,
): Promise<FilterPlan | undefined> {
	const { condition, projectId } = query;
	if (condition === undefined) return undefined;
	const parts = partsByEffort(target, condition);
	const all = parts.map(({ part }) => part);
	const { rows, blocks } = await narrow(client, projectId, target, all);
	const lower = await lowerCollation(client);
	const quick = new PostgresConditions();
	const dialect = postgresDialect(new Questions(), lower);
	for (const { part, effort } of parts) {
		if (effort !== QUICK) continue;
		const compiled = compileCondition(target, part, dialect);
		quick.add(compiled.text, ...compiled.values);
	}
	if (blocks !== undefined && rows === undefined && target === "span") quick.addIn("spans.block_id", blocks);
	const slowParts = parts.filter(({ effort }) => effort !== QUICK).map(({ part }) => part);
	if (slowParts.length === 0) return { quick, ...(rows === undefined ? {} : { rows }) };
	const slow = new SlowCondition(client, target, slowParts, lower);
	return {
		quick,
		...(rows === undefined ? {} : { rows }),
		slow: (candidates) => slow.matching(candidates),
	};
}

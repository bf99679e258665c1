import type { DatabaseSync } from "node:sqlite";
import type { Condition, FilterTarget } from "@spanward/filter-language";
import { compileCondition } from "#storage/traces/filter/compile.ts";
import { Conditions } from "#storage/traces/filter/conditions.ts";
import { partsByEffort, QUICK } from "#storage/traces/filter/effort.ts";
import type { Sql } from "#storage/traces/filter/sql.ts";
import type { SpanContents } from "../read/span-contents.ts";
import { SQLITE_DIALECT } from "./dialect.ts";
import type { FilterFunctions } from "./functions.ts";
import { narrow } from "./narrow.ts";

/** How a list finds the rows that a condition selects. */
export interface FilterPlan {
	/** Conjunction of conditions on the row itself. */
	readonly quick: Conditions;
	/** Further conditions, which need other rows or content. */
	readonly slow: readonly Sql[];
	/** Row numbers; no other row can match. */
	readonly rows?: readonly number[];
}

export function planFilter(
	db: DatabaseSync,
	functions: FilterFunctions,
	contents: SpanContents,
	query: { readonly projectId: number; readonly condition?: Condition },
	target: FilterTarget,
): FilterPlan | undefined {
	const { condition, projectId } = query;
	if (condition === undefined) return undefined;
	const parts = partsByEffort(target, condition);
	const { rows, mayMatchBlock } = narrow(
		db,
		projectId,
		target,
		parts.map(({ part }) => part),
	);
	functions.begin(contents, mayMatchBlock ?? (() => true));
	const quick = new Conditions();
	const slow: Sql[] = [];
	for (const { part, effort } of parts) {
		const compiled = compileCondition(target, part, SQLITE_DIALECT);
		if (effort === QUICK) quick.add(compiled.text, ...compiled.values);
		else slow.push(compiled);
	}
	if (mayMatchBlock !== undefined && rows === undefined && target === "span")
		quick.add("filter_may_match(spans.block_id)");
	return {
		quick,
		slow,
		...(rows === undefined ? {} : { rows }),
	};
}

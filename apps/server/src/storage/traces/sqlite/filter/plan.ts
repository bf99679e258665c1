import type { DatabaseSync } from "node:sqlite";
import type { Condition, FilterTarget } from "@spanward/filter-language";
import { compileCondition } from "#storage/traces/filter/compile.ts";
import { Conditions } from "#storage/traces/filter/conditions.ts";
import { CONTENT, partsByEffort, QUICK } from "#storage/traces/filter/effort.ts";
import type { Sql } from "#storage/traces/filter/sql.ts";
import type { SpanContents } from "../read/span-contents.ts";
import { SQLITE_DIALECT } from "./dialect.ts";
import { type FilterFunctions, HAS_WORDS } from "./functions.ts";
import { narrow } from "./narrow.ts";

/** How a list finds the rows that a condition selects. */
export interface FilterPlan {
	/** Conjunction of conditions on the row itself. */
	readonly quick: Conditions;
	/** Further conditions, which need other rows or content. */
	readonly slow: readonly Sql[];
	/** Row numbers; no other row can match. */
	readonly rows?: readonly number[];
	/** Words that the list has to look for. */
	readonly words?: readonly string[];
}

/** @param byBlock as of {@link narrow} */
export function planFilter(
	db: DatabaseSync,
	functions: FilterFunctions,
	contents: SpanContents,
	query: { readonly projectId: number; readonly condition?: Condition },
	target: FilterTarget,
	byBlock = false,
): FilterPlan | undefined {
	const { condition, projectId } = query;
	if (condition === undefined) return undefined;
	const parts = partsByEffort(target, condition);
	const { rows, blocks, words } = narrow(
		db,
		projectId,
		target,
		parts.map(({ part }) => part),
		byBlock,
	);
	functions.begin(contents, blocks, words);
	const quick = new Conditions();
	const slow: Sql[] = [];
	const listLooks = byBlock && rows === undefined;
	let looksForWords = words !== undefined && !listLooks;
	for (const { part, effort } of parts) {
		if (looksForWords && effort >= CONTENT) {
			// Cheaper than decoding, which decides.
			slow.push(HAS_WORDS);
			looksForWords = false;
		}
		const compiled = compileCondition(target, part, SQLITE_DIALECT);
		if (effort === QUICK) quick.add(compiled.text, ...compiled.values);
		else slow.push(compiled);
	}
	if (blocks !== undefined && rows === undefined) quick.add("filter_may_match(spans.block_id)");
	return {
		quick,
		slow,
		...(rows === undefined ? {} : { rows }),
		...(words === undefined || !listLooks ? {} : { words }),
	};
}

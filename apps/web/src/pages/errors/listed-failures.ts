import type { ErrorGroup, ErrorGroupPage } from "@spanward/client";
import { withCondition } from "../../filtering/conditions.ts";
import { conditionOf, oneOf } from "../../filtering/list-condition.ts";
import { present } from "../../lib/search-params.ts";
import type { ErrorsSearch } from "./search.ts";

/** Groups that a filter names: addresses have an end. */
const MOST_GROUPS = 100;

interface Failures {
	readonly filter?: string;
	readonly q?: string;
}

/** Which failures the inbox is about, whatever their groups: an expression, and words. */
export function failuresOf(search: ErrorsSearch): Failures {
	const { error_kind: kind, release, environment, user } = search;
	const { condition, words } = conditionOf("span", present({ filter: search.filter }));
	const conditions = [
		...oneOf("error_kind", kind && [kind]),
		...oneOf("release", release),
		...oneOf("environment", environment),
		...oneOf("user_id", user),
	];
	return present({ filter: conditions.reduce<string | undefined>(withCondition, condition), q: words });
}

/**
 * The search with another filter of failures, which has all that {@link failuresOf} says. Words of it become words of the
 * inbox, as in its search field.
 */
export function withFailures(search: ErrorsSearch, { filter, q: words }: Failures): ErrorsSearch {
	const { filter: _filter, error_kind: _kind, release: _release, ...others } = search;
	const { environment: _environment, user: _user, q, ...rest } = others;
	const all = [q, words].filter((text) => text !== undefined).join(" ");
	return { ...rest, ...present({ filter, q: all || undefined }) };
}

/**
 * The condition that names the groups that the inbox lists, where it leaves out others by their state, words or assignee:
 * filters of spans know none of these.
 */
export function ofListedGroups(
	{ q, assignee, state }: ErrorsSearch,
	rows: readonly ErrorGroup[],
	counts: ErrorGroupPage["counts"] | undefined,
): string | undefined {
	const hasOthers = (["open", "resolved", "ignored"] as const).some(
		(other) => other !== (state ?? "open") && (counts?.[other] ?? 0) > 0,
	);
	if (q === undefined && assignee === undefined && !hasOthers) return undefined;
	const [condition] = oneOf(
		"error_group",
		rows.slice(0, MOST_GROUPS).map(({ fingerprint }) => fingerprint),
	);
	return condition;
}

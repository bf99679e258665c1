import type { Kysely } from "kysely";
import type { Tables } from "#storage/schema.ts";

/** Billionths of a dollar. */
export interface MonthSpending {
	readonly spent: number;
	/** Of calls under way, at most. */
	readonly reserved: number;
}

/** `202611`: the month that a budget is of, UTC. */
export function monthOf(micros: number): number {
	const date = new Date(micros / 1_000);
	return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** The budget of a connection in a month, as `money_spent` names it. */
export function budgetScope(connectionId: number, month: number): string {
	return `connection:${connectionId}:${month}`;
}

/** What was spent in a month through these connections, by row number. */
export async function readSpending(
	db: Kysely<Tables>,
	ids: readonly number[],
	month: number,
): Promise<ReadonlyMap<number, MonthSpending>> {
	if (ids.length === 0) return new Map();
	const byScope = new Map(ids.map((id) => [budgetScope(id, month), id]));
	const rows = await db
		.selectFrom("money_spent")
		.selectAll()
		.where("scope", "in", [...byScope.keys()])
		.execute();
	return new Map(
		rows.flatMap(({ scope, spent_nanos: spent, reserved_nanos: reserved }) => {
			const id = byScope.get(scope);
			return id === undefined ? [] : [[id, { spent, reserved }] as const];
		}),
	);
}

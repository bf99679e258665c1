import { type Kysely, sql, type Transaction } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { ModelError } from "../model-error.ts";
import { formatDollars } from "./money.ts";

export interface Budget {
	/** Key of `money_spent`. */
	readonly scope: string;
	/** Billionths of a dollar; undefined where spending is only counted. */
	readonly limitNanos: number | undefined;
	/** Whose it is, for messages: `the connection "main"`. */
	readonly what: string;
}

export interface Spending {
	readonly spentNanos: number;
	readonly reservedNanos: number;
}

const NOTHING: Spending = { spentNanos: 0, reservedNanos: 0 };

/** What was spent, and is reserved for calls under way, by scope. */
export async function findSpending(db: Kysely<Tables>, scopes: readonly string[]): Promise<Map<string, Spending>> {
	const rows = await db.selectFrom("money_spent").selectAll().where("scope", "in", listed(scopes)).execute();
	return new Map(rows.map((row) => [row.scope, { spentNanos: row.spent_nanos, reservedNanos: row.reserved_nanos }]));
}

export type Room =
	| { readonly kind: "room" }
	/** There is room unless the calls under way cost as much as they may. */
	| { readonly kind: "waiting"; readonly scope: string }
	| { readonly kind: "exhausted"; readonly error: ModelError };

/** Whether what a call may cost is left in each of its budgets. */
export function findRoom(budgets: readonly Budget[], spending: ReadonlyMap<string, Spending>, cost: number): Room {
	let waiting: string | undefined;
	for (const { scope, limitNanos, what } of budgets) {
		if (limitNanos === undefined) continue;
		const { spentNanos, reservedNanos } = spending.get(scope) ?? NOTHING;
		const left = limitNanos - spentNanos;
		if (cost > left) return { kind: "exhausted", error: exhausted({ scope, what }, left, cost) };
		if (cost > left - reservedNanos) waiting ??= scope;
	}
	return waiting === undefined ? { kind: "room" } : { kind: "waiting", scope: waiting };
}

function exhausted({ scope, what }: Pick<Budget, "scope" | "what">, left: number, cost: number): ModelError {
	const message = `The budget of ${what} has ${formatDollars(Math.max(0, left))} left, and this call may cost up to ${formatDollars(cost)}: raise the budget, or lower the limit of the answer's tokens.`;
	return new ModelError("budget_exhausted", message, { scope });
}

/** Amounts, which may be negative, that are added to each of some scopes. */
export interface MoneyChange extends Spending {
	readonly scopes: readonly string[];
}

export async function addMoney(transaction: Transaction<Tables>, changes: readonly MoneyChange[]): Promise<void> {
	const sums = new Map<string, Spending>();
	for (const { scopes, ...amount } of changes)
		for (const scope of scopes) sums.set(scope, plus(sums.get(scope) ?? NOTHING, amount));
	if (sums.size === 0) return;
	await transaction
		.insertInto("money_spent")
		.values(
			[...sums].map(([scope, { spentNanos, reservedNanos }]) => ({
				...{ scope, spent_nanos: spentNanos, reserved_nanos: reservedNanos },
			})),
		)
		.onConflict((conflict) =>
			conflict.column("scope").doUpdateSet({
				spent_nanos: sql`money_spent.spent_nanos + excluded.spent_nanos`,
				reserved_nanos: sql`money_spent.reserved_nanos + excluded.reserved_nanos`,
			}),
		)
		.execute();
}

export function plus(one: Spending, other: Spending): Spending {
	return {
		spentNanos: one.spentNanos + other.spentNanos,
		reservedNanos: one.reservedNanos + other.reservedNanos,
	};
}

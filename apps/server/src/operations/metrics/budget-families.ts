import { sql } from "kysely";
import type { Database } from "#storage/database.ts";
import { type Family, gauge, sample } from "./exposition.ts";

/** How much of the monthly budgets of model connections is used; empty when the database does not answer. */
export async function budgetFamilies({ read }: Pick<Database, "read">, nowMs: number): Promise<readonly Family[]> {
	const date = new Date(nowMs);
	const month = String(date.getUTCFullYear() * 100 + date.getUTCMonth() + 1);
	const rows = await read
		.selectFrom("model_connections")
		.leftJoin("money_spent", (join) =>
			join.on("money_spent.scope", "=", sql<string>`'connection:' || model_connections.id || ':' || ${sql.lit(month)}`),
		)
		.select(["name", "monthly_budget_nanos", "spent_nanos", "reserved_nanos"])
		.where("monthly_budget_nanos", ">", 0)
		.execute()
		.catch(() => undefined);
	if (rows === undefined) return [];
	return [
		gauge(
			"spanward_model_budget_used_ratio",
			"Of the monthly budget of a connection to models, the share that is spent or reserved for calls under way.",
			rows.map(({ name, monthly_budget_nanos: budget, spent_nanos: spent, reserved_nanos: reserved }) =>
				sample(((spent ?? 0) + (reserved ?? 0)) / Number(budget), { connection: name }),
			),
		),
	];
}

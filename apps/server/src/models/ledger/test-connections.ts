import type { Insertable } from "kysely";
import type { Database } from "#storage/database.ts";
import type { Tables } from "#storage/schema.ts";

/** Stores a connection with this name and these columns; a server of one's own, without limits, where they are absent. */
export async function insertTestConnection(
	db: Database,
	name: string,
	columns: Partial<Insertable<Tables["model_connections"]>> = {},
): Promise<number> {
	const { id } = await db.write((transaction) =>
		transaction
			.insertInto("model_connections")
			.values({
				...{ name, kind: "openai_compatible", origin: "api", base_url: "http://127.0.0.1:9/v1", api: null },
				...{ settings: "{}", models: null, default_model: null, is_enabled: 1, is_confirmed: 1 },
				...{ use_by: "members", rules_by: "admins", max_concurrency: 8, requests_per_minute: null },
				...{ tokens_per_minute: null, monthly_budget_nanos: null, timeout_seconds: 120, revision: 1 },
				...{ user_id: null, created_at: 1, updated_at: 1 },
				...columns,
			})
			.returning("id")
			.executeTakeFirstOrThrow(),
	);
	return id;
}

/** Sets an own price, in dollars for a million tokens. */
export async function insertTestPrice(db: Database, pattern: string, prices: object): Promise<void> {
	await db.write((transaction) =>
		transaction
			.insertInto("model_prices")
			.values({
				...{ name: pattern, match: "exact", pattern, provider: null, starts_at: null },
				...{ prices: JSON.stringify(prices), user_id: null, created_at: 1, updated_at: 1 },
			})
			.execute(),
	);
}

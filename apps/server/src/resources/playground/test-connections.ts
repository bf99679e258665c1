import type { Insertable } from "kysely";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Tables } from "#storage/schema.ts";
import type { TestApp } from "#test-app.ts";

/** A connection as it is stored. @returns its global id */
export async function insertConnection(
	{ context: { db, now } }: Pick<TestApp, "context">,
	name: string,
	more: Partial<Insertable<Tables["model_connections"]>> = {},
): Promise<string> {
	const { id } = await db.write((transaction) =>
		transaction
			.insertInto("model_connections")
			.values({
				...{ name, kind: "openai", origin: "api", base_url: null, api: null, settings: "{}", models: null },
				...{ default_model: null, is_enabled: 1, is_confirmed: 1, use_by: "members", rules_by: "admins" },
				...{ max_concurrency: 8, requests_per_minute: null, tokens_per_minute: null, monthly_budget_nanos: null },
				...{ timeout_seconds: 120, failing_code: null, failing_reason: null, failing_since: null, revision: 1 },
				...{ user_id: null, created_at: now(), updated_at: now(), ...more },
			})
			.returning("id")
			.executeTakeFirstOrThrow(),
	);
	return encodeGlobalId("ModelConnection", id);
}

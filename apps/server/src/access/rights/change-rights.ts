import { sql, type Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";

/**
 * Says in the transaction of a change that rights changed, so that other processes read them again within a second.
 * Changes of one another at the same time wait for each other here.
 */
export async function noteRightsChange(transaction: Transaction<Tables>): Promise<void> {
	await transaction
		.insertInto("access_policy")
		.values({
			...{ id: 1, version: 1, library_access: "open" },
			...{
				default_project_access: null,
				open_role_of_members: null,
				members_create_projects: null,
				max_key_days: null,
			},
		})
		.onConflict((conflict) => conflict.column("id").doUpdateSet({ version: sql`access_policy.version + 1` }))
		.execute();
}

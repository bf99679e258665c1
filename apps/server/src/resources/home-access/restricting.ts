import type { Kysely } from "kysely";
import { z } from "zod";
import { hintOf } from "#access/auth/principals/api-key.ts";
import type { RightsState } from "#access/rights/rights-state.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import { formatTime, wireTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { findPeople } from "./people.ts";

const MAX_NAMED = 100;

export const Restricting = z
	.object({
		keeping_count: z.int().describe("People who would still see it."),
		losing_count: z.int().describe("People who would not see it any more."),
		losing: z.array(z.object({ id: z.string(), username: z.string() })).describe(`At most ${MAX_NAMED} of them.`),
		refused_keys: z
			.array(z.object({ name: z.string(), hint: z.string(), owner: z.string(), last_used_at: wireTime }))
			.describe(`Keys of theirs that were used, the last used first, at most ${MAX_NAMED}.`),
	})
	.meta({ id: "RestrictingEffects" });

/** Who would lose a project if it were restricted now, and whose keys would be refused. */
export async function findRestricting(
	db: Kysely<Tables>,
	state: RightsState,
	projectId: number,
): Promise<z.output<typeof Restricting>> {
	const now = await findPeople(db, state, projectId);
	const then = await findPeople(db, { ...state, restricted: new Set([...state.restricted, projectId]) }, projectId);
	const keeping = new Set(then.map(({ id }) => id));
	const losing = now.filter(({ id }) => !keeping.has(id));
	const keys = await db
		.selectFrom("api_keys")
		.innerJoin("users", "users.id", "api_keys.user_id")
		.select(["name", "public_id", "last_characters", "last_used_at", "users.username"])
		.where("kind", "=", "user")
		.where("last_used_at", "is not", null)
		.where("user_id", "in", listed(losing.map(({ id }) => id)))
		.where(({ or, eb, exists, selectFrom }) =>
			or([
				eb("has_homes", "=", 0),
				exists(
					selectFrom("api_key_projects")
						.select("key_id")
						.whereRef("key_id", "=", "api_keys.id")
						.where("project_id", "=", projectId),
				),
			]),
		)
		.orderBy("last_used_at", "desc")
		.limit(MAX_NAMED)
		.execute();
	return {
		keeping_count: then.length,
		losing_count: losing.length,
		losing: losing.slice(0, MAX_NAMED).map(({ id, username }) => ({ id: encodeGlobalId("User", id), username })),
		refused_keys: keys.map(({ name, public_id, last_characters, last_used_at, username: owner }) => ({
			...{ name, owner, hint: hintOf("user", public_id, last_characters) },
			last_used_at: formatTime(last_used_at ?? 0),
		})),
	};
}

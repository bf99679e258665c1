import type { Kysely } from "kysely";
import type { z } from "zod";
import { hintOf } from "#access/auth/principals/api-key.ts";
import type { Grant, RightsState } from "#access/rights/rights-state.ts";
import { keyOf } from "#access/subjects/find-subjects.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Home } from "#http/rights.ts";
import { formatTime } from "#http/wire-times.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import type { WantedAccess } from "./change-access.ts";
import { findPeople } from "./people.ts";
import { MAX_NAMED, type Restricting } from "./schemas.ts";

/** Who would lose a home if its access were changed so now, and whose keys would be refused. */
export async function findLosing(
	db: Kysely<Tables>,
	state: RightsState,
	home: Home,
	wanted: WantedAccess,
): Promise<z.output<typeof Restricting>> {
	const now = await findPeople(db, state, home);
	const then = await findPeople(db, stateAfter(state, home, wanted), home);
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
						.where("project_id", "=", home === "library" ? null : home),
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

/** What would decide rights after a change of a home's access. */
function stateAfter(state: RightsState, home: Home, { access, set, remove }: WantedAccess): RightsState {
	const restricted = new Set(state.restricted);
	if (access === "restricted") restricted.add(home);
	if (access === "open") restricted.delete(home);
	const named = new Set([...set.map(({ subject }) => keyOf(subject)), ...remove.map(keyOf)]);
	const kept = (state.grantsAt.get(home) ?? []).filter((grant) => !named.has(keyOfGrant(grant)));
	const given = set.map(({ subject: { type, id }, role }): Grant => {
		return { userId: type === "user" ? id : undefined, teamId: type === "team" ? id : undefined, role };
	});
	return { ...state, restricted, grantsAt: new Map([...state.grantsAt, [home, [...kept, ...given]]]) };
}

function keyOfGrant({ userId, teamId }: Grant): string {
	return userId === undefined ? keyOf({ type: "team", id: teamId ?? 0 }) : keyOf({ type: "user", id: userId });
}

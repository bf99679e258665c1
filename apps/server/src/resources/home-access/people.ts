import type { Kysely } from "kysely";
import type { z } from "zod";
import { findAccounts } from "#access/rights/find-accounts.ts";
import { type Reason, reasonsAt, roleBy } from "#access/rights/reasons.ts";
import type { RightsState } from "#access/rights/rights-state.ts";
import { higherRole } from "#access/rights/roles.ts";
import { findNames } from "#access/subjects/find-subjects.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Home } from "#http/rights.ts";
import type { ProjectRole, Tables } from "#storage/schema.ts";
import type { Person } from "./schemas.ts";
import { subjectsOf, toBecause } from "./show-access.ts";

/** Somebody who has a role at a home. */
export interface PersonHere {
	readonly id: number;
	readonly username: string;
	readonly countsAs: ProjectRole;
	readonly reasons: readonly Reason[];
}

/** Everybody who has a role at a home. */
export async function findPeople(db: Kysely<Tables>, state: RightsState, home: Home): Promise<PersonHere[]> {
	const accounts = await findAccounts(db, state, [home]);
	return accounts.flatMap((account) => {
		const reasons = reasonsAt(state, account, home);
		const countsAs = roleBy(reasons);
		return countsAs === undefined ? [] : [{ id: account.userId, username: account.username, countsAs, reasons }];
	});
}

/** They as the wire shows them. */
export async function toPeople(
	db: Kysely<Tables>,
	state: RightsState,
	people: readonly PersonHere[],
): Promise<z.output<typeof Person>[]> {
	const names = await findNames(db, subjectsOf(people.flatMap(({ reasons }) => reasons)));
	return people.map(({ id, username, countsAs, reasons }) => ({
		id: encodeGlobalId("User", id),
		username,
		role: reasons.reduce<ProjectRole>((highest, { role }) => higherRole(highest, role) ?? role, countsAs),
		counts_as: countsAs,
		because: reasons.map((reason) => toBecause(reason, state, names)),
	}));
}

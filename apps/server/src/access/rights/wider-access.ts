import type { Kysely } from "kysely";
import { UserError } from "#base/errors.ts";
import { encodeGlobalId } from "#http/global-ids.ts";
import type { Home } from "#http/rights.ts";
import type { Tables } from "#storage/schema.ts";
import { findAccounts } from "./find-accounts.ts";
import { livesAt, reasonsAt } from "./reasons.ts";
import type { RightsReader } from "./rights-reader.ts";
import type { RightsState } from "./rights-state.ts";

/** What leaves one home for another. */
export interface Leaving {
	readonly from: Home;
	readonly to: Home;
	/** `allow_wider_access` of the request. */
	readonly isAllowed: boolean | undefined;
}

/**
 * Refuses to take something out of a restricted home unless the request says that others may see it then.
 * @param db the transaction of the change, so that the rights are those of its moment
 * @returns whether that happens, so that it is audited
 * @throws UserError 409 `wider_access` naming both homes
 */
export async function mayWiden(
	{ auth }: { readonly auth: { readonly rights: RightsReader } },
	db: Kysely<Tables>,
	{ from, to, isAllowed }: Leaving,
): Promise<boolean> {
	const state = await auth.rights.stateIn(db);
	const [source, target] = [livesAt(state, from), livesAt(state, to)];
	if (source === target || !state.restricted.has(source)) return false;
	if (isAllowed === true) return true;
	const names = await Promise.all([nameOf(db, from), nameOf(db, to)]);
	const more = await countMore(db, state, { from: source, to: target });
	throw new UserError(
		409,
		"wider_access",
		`${names[0]} is restricted, and what goes to ${names[1]} is seen by whoever sees that, ${more} more ${more === 1 ? "person" : "people"}. Send allow_wider_access=true if it shall be.`,
		{ details: { from: idOf(from), to: idOf(to), more_people: more } },
	);
}

/** How many people see the one home and not the other. */
async function countMore(
	db: Kysely<Tables>,
	state: RightsState,
	{ from, to }: { readonly from: Home; readonly to: Home },
): Promise<number> {
	const accounts = await findAccounts(db, state, [from, to]);
	return accounts.filter((account) => {
		const sees = (home: Home) => reasonsAt(state, account, home).length > 0;
		return sees(to) && !sees(from);
	}).length;
}

async function nameOf(db: Kysely<Tables>, home: Home): Promise<string> {
	if (home === "library") return "The library";
	const project = await db.selectFrom("projects").select("name").where("id", "=", home).executeTakeFirst();
	return `Project ${project?.name ?? home}`;
}

/** A home in an answer: the id of the project; null for the library. */
export function idOf(home: Home): string | null {
	return home === "library" ? null : encodeGlobalId("Project", home);
}
